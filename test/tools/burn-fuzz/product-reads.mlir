// A product that computes both operands as it reads them: a dequantization, and a difference from a scalar.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s
// RUN: env BURN_CPU=x86-64-v3 burn-fuzz %s

func.func @main(%q: tensor<37x53xui8>, %x: tensor<19x53xf16>, %z: tensor<1x1xi32>, %s: tensor<1x1xf32>, %t: tensor<f32> {burn.scalar}) -> tensor<37x19xf32> {
  %w = burn.dequantize ui8 %q, %s, %z {block = array<i64: 37, 53>} : (tensor<37x53xui8>, tensor<1x1xf32>, tensor<1x1xi32>) -> tensor<37x53xf32>
  %f = burn.convert %x : tensor<19x53xf16> to tensor<19x53xf32>
  %b = burn.broadcast %t {dims = array<i64>} : tensor<f32> to tensor<19x53xf32>
  %y = burn.sub %b, %f : tensor<19x53xf32>
  %r = burn.dot_general %w, %y {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : tensor<37x53xf32>, tensor<19x53xf32> to tensor<37x19xf32>
  return %r : tensor<37x19xf32>
}
