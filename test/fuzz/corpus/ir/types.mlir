func.func @types(%a: tensor<f64>, %b: tensor<2x0xf16>, %c: tensor<1xbf16>, %d: tensor<i8>, %e: tensor<ui8>,
                 %f: tensor<i16>, %g: tensor<ui16>, %h: tensor<i32>, %i: tensor<ui32>, %j: tensor<i64>,
                 %k: tensor<ui64>) {
  %0 = burn.neg %a : tensor<f64>
  %1 = burn.neg %b : tensor<2x0xf16>
  %2 = burn.neg %c : tensor<1xbf16>
  %3 = burn.add %e, %e : tensor<ui8>
  %4 = burn.convert %k : tensor<ui64> to tensor<i1>
  return
}
