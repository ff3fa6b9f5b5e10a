func.func @main(%x: tensor<1152921504606846975xf64>, %i: tensor<4xi32>) -> tensor<f64> { 
 %a = burn.exp %x : tensor<1152921504606846975xf64>
 %p, %q = burn.topk %a {axis = 0, k = 1152921504606846975, largest = true, sorted = true} : tensor<1152921504606846975xf64> to tensor<1152921504606846975xf64>, tensor<1152921504606846975xi64>
 %s = burn.reduce sum %p {dims = array<i64: 0>} : tensor<1152921504606846975xf64> to tensor<f64>
 %t = burn.reduce sum %a {dims = array<i64: 0>} : tensor<1152921504606846975xf64> to tensor<f64>
 %u = burn.add %s, %t : tensor<f64>
 return %u : tensor<f64> }
