func.func @kernels(%x: tensor<4xf32>) {
  %o:2 = burn.custom_kernel "opaque" version 2 (%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
  %r = burn.custom_kernel "double" version 1 (%x) : (tensor<4xf32>) -> tensor<4xf32> decomposition {
  ^bb0(%a: tensor<4xf32>):
    %s = burn.add %a, %a : tensor<4xf32>
    burn.yield %s : tensor<4xf32>
  }
  return
}
