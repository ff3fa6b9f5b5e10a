func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { 
 %c = burn.constant dense<1.0> : tensor<1x1x1x1x1x1x1x1x1xf32>
 %d = burn.constant dense<1.0> : tensor<9223372036854775807xf32>
 return %x : tensor<4xf32> }
