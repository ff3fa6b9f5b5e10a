func.func @main(%x: tensor<4xf32>) -> (tensor<1152921504606846975xf64>, tensor<1152921504606846975xf64>) { 
 %c = burn.constant dense<1.0> : tensor<1152921504606846975xf64>
 %d = burn.add %c, %c : tensor<1152921504606846975xf64>
 %e = burn.exp %d : tensor<1152921504606846975xf64>
 %f = burn.exp %e : tensor<1152921504606846975xf64>
 %s = burn.reduce sum %f {dims = array<i64: 0>} : tensor<1152921504606846975xf64> to tensor<f64>
 %i = burn.iota {dim = 0} : tensor<1152921504606846975xf64>
 %g = burn.sort %f {axis = 0} : tensor<1152921504606846975xf64>
 return %e, %i : tensor<1152921504606846975xf64>, tensor<1152921504606846975xf64> }
