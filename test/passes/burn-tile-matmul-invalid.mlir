// RUN: burn-opt %s --burn-tile-matmul --split-input-file --verify-diagnostics

// Tests that a tiling of the wrong form is refused.
func.func @malformed(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{has a malformed burn.tiling: expects integers 'vector_lanes' and 'block_steps'}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>, burn.tiling = {}} : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// -----

// Tests that a tiling that cannot be generated is refused.
func.func @unfit(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{has a burn.tiling that does not fit: the tile's lanes must be whole vectors}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>, burn.tiling = {vector_lanes = 8, tile = [6, 12], block_steps = 8, task = [6, 12],
      pack = [], exchange = false}} : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// -----

// Tests that transposed lanes cannot be read in place.
func.func @in_place(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{has a burn.tiling that does not fit: lanes that are not contiguous must be packed}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 1>, burn.tiling = {vector_lanes = 8, tile = [6, 8], block_steps = 8, task = [6, 8],
      pack = [], exchange = false}} : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
