// RUN: burn-opt %s --burn-tile-matmul=cpu=cooperlake --split-input-file --verify-diagnostics

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

// -----

// Tests that an instruction that the target lacks is refused.
func.func @lacking(%a: tensor<8x8xi8>, %b: tensor<8x8xi8>) -> tensor<8x8xi8> {
  // expected-error@+1 {{has a burn.tiling that does not fit: the target lacks the instruction}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>, burn.tiling = {vector_lanes = 16, tile = [32, 32], block_steps = 8, task = [32, 32],
      pack = ["rows", "lanes"], exchange = false, dot = "amx-int8"}} : tensor<8x8xi8>, tensor<8x8xi8> to tensor<8x8xi8>
  return %c : tensor<8x8xi8>
}

// -----

// Tests that an instruction for other elements is refused.
func.func @other_elements(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{has a burn.tiling that does not fit: the instruction does not take elements of these types}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>, burn.tiling = {vector_lanes = 8, tile = [5, 16], block_steps = 8, task = [5, 16],
      pack = ["rows", "lanes"], exchange = false, dot = "vpmaddwd"}} : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// -----

// Tests that unknown instructions are refused.
func.func @unknown(%a: tensor<8x8xi8>, %b: tensor<8x8xi8>) -> tensor<8x8xi8> {
  // expected-error@+1 {{has a malformed burn.tiling: 'dot' names no known instruction}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>, burn.tiling = {vector_lanes = 8, tile = [5, 16], block_steps = 8, task = [5, 16],
      pack = ["rows", "lanes"], exchange = false, dot = "dpbusd"}} : tensor<8x8xi8>, tensor<8x8xi8> to tensor<8x8xi8>
  return %c : tensor<8x8xi8>
}

// -----

// Tests that an instruction for pairs of integers takes vectors as wide as the target's registers alone.
func.func @vpmaddwd_lanes(%a: tensor<8x8xi16>, %b: tensor<8x8xi16>) -> tensor<8x8xi16> {
  // expected-error@+1 {{has a burn.tiling that does not fit: vpmaddwd takes vectors of 16 lanes on this target}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>, burn.tiling = {vector_lanes = 8, tile = [5, 16], block_steps = 8, task = [5, 16],
      pack = ["rows", "lanes"], exchange = false, dot = "vpmaddwd"}} : tensor<8x8xi16>, tensor<8x8xi16> to tensor<8x8xi16>
  return %c : tensor<8x8xi16>
}

// -----

// Tests that an instruction for fours of integers takes vectors as wide as the target's registers alone.
func.func @vpdpbusd_lanes(%a: tensor<8x8xi8>, %b: tensor<8x8xi8>) -> tensor<8x8xi8> {
  // expected-error@+1 {{has a burn.tiling that does not fit: vpdpbusd takes vectors of 16 lanes on this target}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>, burn.tiling = {vector_lanes = 2, tile = [5, 16], block_steps = 8, task = [5, 16],
      pack = ["rows", "lanes"], exchange = false, dot = "vpdpbusd"}} : tensor<8x8xi8>, tensor<8x8xi8> to tensor<8x8xi8>
  return %c : tensor<8x8xi8>
}

// -----

// Tests that an instruction for pairs of bf16 takes vectors as wide as the target's registers alone.
func.func @vdpbf16ps_lanes(%a: tensor<8x8xbf16>, %b: tensor<8x8xbf16>) -> tensor<8x8xbf16> {
  // expected-error@+1 {{has a burn.tiling that does not fit: vdpbf16ps takes vectors of 16 lanes on this target}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>, burn.tiling = {vector_lanes = 8, tile = [5, 16], block_steps = 8, task = [5, 16],
      pack = ["rows", "lanes"], exchange = false, dot = "vdpbf16ps"}} : tensor<8x8xbf16>, tensor<8x8xbf16> to tensor<8x8xbf16>
  return %c : tensor<8x8xbf16>
}

// -----

// Tests that an operand cannot be ready where it is not packed, and that roles are known ones.
func.func @ready(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // expected-error@+1 {{has a burn.tiling that does not fit: an operand that is ready must be packed}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>, burn.tiling = {vector_lanes = 8, tile = [6, 8], block_steps = 8, task = [6, 8],
      pack = ["rows"], ready = ["lanes"], exchange = false}} : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
  return %c, %c : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

func.func @role(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{has a malformed burn.tiling: 'ready' lists "rows" and "lanes"}}
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>, burn.tiling = {vector_lanes = 8, tile = [6, 8], block_steps = 8, task = [6, 8],
      pack = ["rows"], ready = ["panels"], exchange = false}} : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
