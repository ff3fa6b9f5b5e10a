func.func @differentiated(%x: tensor<4xf32>, %k: tensor<i32>) {
  %c = burn.checkpoint save_nothing (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %t = burn.tanh %a : tensor<4xf32>
    burn.yield %t : tensor<4xf32>
  }
  %v = burn.custom_vjp (%x) captured (%k) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32> forward {
  ^bb0(%a: tensor<4xf32>, %b: tensor<i32>):
    %t = burn.relu %a : tensor<4xf32>
    burn.yield %t : tensor<4xf32>
  } vjp {
  ^bb0(%a: tensor<4xf32>, %r: tensor<4xf32>, %g: tensor<4xf32>, %b: tensor<i32>):
    burn.yield %g : tensor<4xf32>
  }
  return
}
