// The value behind an assert was looked for at its predicate.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s
func.func @main(%arg0: tensor<4x4xi8> {burn.frozen, burn.value = dense<3> : tensor<4x4xi8>}, %arg1: tensor<1xi1> {burn.value = dense<true> : tensor<1xi1>}) -> tensor<1xi1> {
  %0 = burn.compare eq %arg0, %arg0 : tensor<4x4xi8>
  %1 = burn.reduce and %0 {dims = array<i64: 0, 1>} : tensor<4x4xi1> to tensor<i1>
  %2 = burn.assert "what is equal to itself" %1, %arg1 : tensor<1xi1>
  return %2 : tensor<1xi1>
}
