func.func @branches(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = burn.if %p (%x) : (tensor<4xf32>) -> tensor<4xf32> then {
  ^bb0(%a: tensor<4xf32>):
    %n = burn.neg %a : tensor<4xf32>
    burn.yield %n : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    burn.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
