func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %y = burn.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
 return %y : tensor<4xf32> }
