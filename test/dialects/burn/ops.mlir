// RUN: burn-opt %s --verify-roundtrip | FileCheck %s
// RUN: burn-opt %s --emit-bytecode | burn-opt | FileCheck %s

// Tests that every op prints and parses, as text and as bytecode.

// CHECK-LABEL: @constants
func.func @constants() {
  // CHECK: burn.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %c = burn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: burn.iota {dim = 1 : i64} : tensor<2x3xi64>
  %i = burn.iota {dim = 1} : tensor<2x3xi64>
  // CHECK: burn.undef : tensor<4xi32>
  %u = burn.undef : tensor<4xi32>
  return
}

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<4xf32>, %p: tensor<4xi1>) {
  // CHECK: burn.neg %{{.*}} : tensor<4xf32>
  %neg = burn.neg %x : tensor<4xf32>
  // CHECK: burn.abs %{{.*}} : tensor<4xf32>
  %abs = burn.abs %x : tensor<4xf32>
  // CHECK: burn.sign %{{.*}} : tensor<4xf32>
  %sign = burn.sign %x : tensor<4xf32>
  // CHECK: burn.exp %{{.*}} : tensor<4xf32>
  %exp = burn.exp %x : tensor<4xf32>
  // CHECK: burn.expm1 %{{.*}} : tensor<4xf32>
  %expm1 = burn.expm1 %x : tensor<4xf32>
  // CHECK: burn.log %{{.*}} : tensor<4xf32>
  %log = burn.log %x : tensor<4xf32>
  // CHECK: burn.log1p %{{.*}} : tensor<4xf32>
  %log1p = burn.log1p %x : tensor<4xf32>
  // CHECK: burn.sqrt %{{.*}} : tensor<4xf32>
  %sqrt = burn.sqrt %x : tensor<4xf32>
  // CHECK: burn.rsqrt %{{.*}} : tensor<4xf32>
  %rsqrt = burn.rsqrt %x : tensor<4xf32>
  // CHECK: burn.tanh %{{.*}} : tensor<4xf32>
  %tanh = burn.tanh %x : tensor<4xf32>
  // CHECK: burn.erf %{{.*}} : tensor<4xf32>
  %erf = burn.erf %x : tensor<4xf32>
  // CHECK: burn.logistic %{{.*}} : tensor<4xf32>
  %logistic = burn.logistic %x : tensor<4xf32>
  // CHECK: burn.relu %{{.*}} : tensor<4xf32>
  %relu = burn.relu %x : tensor<4xf32>
  // CHECK: burn.floor %{{.*}} : tensor<4xf32>
  %floor = burn.floor %x : tensor<4xf32>
  // CHECK: burn.ceil %{{.*}} : tensor<4xf32>
  %ceil = burn.ceil %x : tensor<4xf32>
  // CHECK: burn.round_even %{{.*}} : tensor<4xf32>
  %round_even = burn.round_even %x : tensor<4xf32>
  // CHECK: burn.not %{{.*}} : tensor<4xi1>
  %not = burn.not %p : tensor<4xi1>
  // CHECK: burn.convert %{{.*}} : tensor<4xf32> to tensor<4xi32>
  %convert = burn.convert %x : tensor<4xf32> to tensor<4xi32>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%a: tensor<4xf32>, %b: tensor<4xf32>, %p: tensor<4xi1>, %q: tensor<4xi1>) {
  // CHECK: burn.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %add = burn.add %a, %b : tensor<4xf32>
  // CHECK: burn.sub %{{.*}}, %{{.*}} : tensor<4xf32>
  %sub = burn.sub %a, %b : tensor<4xf32>
  // CHECK: burn.mul %{{.*}}, %{{.*}} : tensor<4xf32>
  %mul = burn.mul %a, %b : tensor<4xf32>
  // CHECK: burn.div %{{.*}}, %{{.*}} : tensor<4xf32>
  %div = burn.div %a, %b : tensor<4xf32>
  // CHECK: burn.pow %{{.*}}, %{{.*}} : tensor<4xf32>
  %pow = burn.pow %a, %b : tensor<4xf32>
  // CHECK: burn.max %{{.*}}, %{{.*}} : tensor<4xf32>
  %max = burn.max %a, %b : tensor<4xf32>
  // CHECK: burn.min %{{.*}}, %{{.*}} : tensor<4xf32>
  %min = burn.min %a, %b : tensor<4xf32>
  // CHECK: burn.and %{{.*}}, %{{.*}} : tensor<4xi1>
  %and = burn.and %p, %q : tensor<4xi1>
  // CHECK: burn.or %{{.*}}, %{{.*}} : tensor<4xi1>
  %or = burn.or %p, %q : tensor<4xi1>
  // CHECK: burn.xor %{{.*}}, %{{.*}} : tensor<4xi1>
  %xor = burn.xor %p, %q : tensor<4xi1>
  // CHECK: burn.compare lt %{{.*}}, %{{.*}} : tensor<4xf32>
  %compare = burn.compare lt %a, %b : tensor<4xf32>
  // CHECK: burn.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %select = burn.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>
  // CHECK: burn.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %clamp = burn.clamp %a, %b, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: @movement
func.func @movement(%row: tensor<3xf32>, %x: tensor<2x3xf32>, %v: tensor<f32>, %long: tensor<5xf32>,
                    %two: tensor<2xf32>) {
  // CHECK: burn.broadcast %{{.*}} {dims = array<i64: 1>} : tensor<3xf32> to tensor<2x3xf32>
  %broadcast = burn.broadcast %row {dims = array<i64: 1>} : tensor<3xf32> to tensor<2x3xf32>
  // CHECK: burn.reshape %{{.*}} : tensor<2x3xf32> to tensor<6xf32>
  %reshape = burn.reshape %x : tensor<2x3xf32> to tensor<6xf32>
  // CHECK: burn.transpose %{{.*}} {perm = array<i64: 1, 0>} : tensor<2x3xf32> to tensor<3x2xf32>
  %transpose = burn.transpose %x {perm = array<i64: 1, 0>} : tensor<2x3xf32> to tensor<3x2xf32>
  // CHECK: burn.slice %{{.*}} {sizes = array<i64: 2>, starts = array<i64: 1>, strides = array<i64: 2>} : tensor<5xf32> to tensor<2xf32>
  %slice = burn.slice %long {starts = array<i64: 1>, sizes = array<i64: 2>, strides = array<i64: 2>}
      : tensor<5xf32> to tensor<2xf32>
  // CHECK: burn.slice_update %{{.*}}, %{{.*}} {starts = array<i64: 1>} : tensor<5xf32>, tensor<2xf32>
  %slice_update = burn.slice_update %long, %two {starts = array<i64: 1>} : tensor<5xf32>, tensor<2xf32>
  // CHECK: burn.pad %{{.*}}, %{{.*}} {high = array<i64: 0>, interior = array<i64: 1>, low = array<i64: 1>} : tensor<3xf32>, tensor<f32> to tensor<6xf32>
  %pad = burn.pad %row, %v {low = array<i64: 1>, high = array<i64: 0>, interior = array<i64: 1>}
      : tensor<3xf32>, tensor<f32> to tensor<6xf32>
  // CHECK: burn.concat %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %concat = burn.concat %two, %row {axis = 0} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  // CHECK: burn.reverse %{{.*}} {dims = array<i64: 0>} : tensor<3xf32>
  %reverse = burn.reverse %row {dims = array<i64: 0>} : tensor<3xf32>
  return
}

// CHECK-LABEL: @indexing
func.func @indexing(%x: tensor<10x8xf32>, %i: tensor<4xi64>, %u: tensor<4x8xf32>) {
  // CHECK: burn.gather check %{{.*}}, %{{.*}} {{{.*}}slice_sizes = array<i64: 1, 8>{{.*}}} : tensor<10x8xf32>, tensor<4xi64> to tensor<4x8xf32>
  %gather = burn.gather check %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
      operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>,
      start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>}
      : tensor<10x8xf32>, tensor<4xi64> to tensor<4x8xf32>
  // CHECK: burn.scatter add check %{{.*}}, %{{.*}}, %{{.*}} {{{.*}}} : tensor<10x8xf32>, tensor<4xi64>, tensor<4x8xf32>
  %scatter = burn.scatter add check %x, %i, %u {update_window_dims = array<i64: 1>,
      inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>,
      scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>,
      index_vector_dim = 1 : i64} : tensor<10x8xf32>, tensor<4xi64>, tensor<4x8xf32>
  return
}

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<2x3xf32>, %line: tensor<6xf32>, %lines: tensor<3x6xf32>) {
  // CHECK: burn.reduce sum %{{.*}} {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
  %reduce = burn.reduce sum %x {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
  // CHECK: burn.arg_reduce max %{{.*}} {axis = 1 : i64} : tensor<2x3xf32> to tensor<2xf32>, tensor<2xi64>
  %v, %i = burn.arg_reduce max %x {axis = 1} : tensor<2x3xf32> to tensor<2xf32>, tensor<2xi64>
  // CHECK: burn.reduce_window sum %{{.*}} {{{.*}}window = array<i64: 2>{{.*}}} : tensor<6xf32> to tensor<3xf32>
  %window = burn.reduce_window sum %line {window = array<i64: 2>, strides = array<i64: 2>,
      pad_low = array<i64: 0>, pad_high = array<i64: 0>, base_dilation = array<i64: 1>,
      window_dilation = array<i64: 1>} : tensor<6xf32> to tensor<3xf32>
  // CHECK: burn.arg_reduce_window max %{{.*}} {index_dims = array<i64: 1>{{.*}}} : tensor<3x6xf32> to tensor<3x3xf32>, tensor<3x3xi64>
  %wv, %wi = burn.arg_reduce_window max %lines {window = array<i64: 1, 2>, strides = array<i64: 1, 2>,
      pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
      window_dilation = array<i64: 1, 1>, index_dims = array<i64: 1>}
      : tensor<3x6xf32> to tensor<3x3xf32>, tensor<3x3xi64>
  return
}

// CHECK-LABEL: @contractions
func.func @contractions(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %x: tensor<2x1x28x28xf32>,
                        %w: tensor<64x1x3x3xf32>) {
  // CHECK: burn.dot_general %{{.*}}, %{{.*}} {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : tensor<4x8xf32>, tensor<8x2xf32> to tensor<4x2xf32>
  %dot = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>,
      lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : tensor<4x8xf32>, tensor<8x2xf32> to tensor<4x2xf32>
  // CHECK: burn.conv %{{.*}}, %{{.*}} {{{.*}}} : tensor<2x1x28x28xf32>, tensor<64x1x3x3xf32> to tensor<2x64x26x26xf32>
  %conv = burn.conv %x, %w {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>,
      out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>,
      pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>,
      rhs_dilation = array<i64: 1, 1>, feature_groups = 1, batch_groups = 1}
      : tensor<2x1x28x28xf32>, tensor<64x1x3x3xf32> to tensor<2x64x26x26xf32>
  return
}

// CHECK-LABEL: @random
func.func @random(%x: tensor<4x5xf32>, %key: tensor<2xui32>, %counter: tensor<ui64>, %rate: tensor<f64>) {
  // CHECK: burn.rng_bits %{{.*}}, %{{.*}} {ordinal = 3 : i64} : tensor<4x5xui32>
  %bits = burn.rng_bits %key, %counter {ordinal = 3} : tensor<4x5xui32>
  // CHECK: burn.dropout %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {ordinal = 0 : i64} : tensor<4x5xf32>
  %dropout = burn.dropout %x, %key, %counter, %rate {ordinal = 0} : tensor<4x5xf32>
  return
}

// CHECK-LABEL: @neural
func.func @neural(%x: tensor<2x3xf32>, %logits: tensor<4x10xf32>, %t: tensor<4xi64>, %cw: tensor<10xf32>,
                  %image: tensor<2x3x4x4xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>) {
  // CHECK: burn.softmax %{{.*}} {axis = 1 : i64} : tensor<2x3xf32>
  %softmax = burn.softmax %x {axis = 1} : tensor<2x3xf32>
  // CHECK: burn.log_softmax %{{.*}} {axis = 1 : i64} : tensor<2x3xf32>
  %log_softmax = burn.log_softmax %x {axis = 1} : tensor<2x3xf32>
  // CHECK: burn.cross_entropy mean %{{.*}}, %{{.*}} {axis = 1 : i64, ignore_index = -100 : i64, label_smoothing = 0.000000e+00 : f64} : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<f32>
  %l = burn.cross_entropy mean %logits, %t {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64}
      : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<f32>
  // CHECK: burn.cross_entropy none %{{.*}}, %{{.*}}, %{{.*}} {{{.*}}} : (tensor<4x10xf32>, tensor<4xi64>, tensor<10xf32>) -> tensor<4xf32>
  %lw = burn.cross_entropy none %logits, %t, %cw {axis = 1, ignore_index = -100, label_smoothing = 0.1 : f64}
      : (tensor<4x10xf32>, tensor<4xi64>, tensor<10xf32>) -> tensor<4xf32>
  // CHECK: burn.batch_norm %{{.*}}, %{{.*}}, %{{.*}} {epsilon = {{.*}} : f64, feature_dim = 1 : i64} : tensor<2x3x4x4xf32>, tensor<3xf32>
  %y, %m, %v = burn.batch_norm %image, %s, %b {feature_dim = 1, epsilon = 1.0e-5 : f64}
      : tensor<2x3x4x4xf32>, tensor<3xf32>
  // CHECK: burn.gelu none %{{.*}} : tensor<2x3xf32>
  %gelu = burn.gelu none %x : tensor<2x3xf32>
  // CHECK: burn.gelu tanh %{{.*}} : tensor<2x3xf32>
  %gelu_tanh = burn.gelu tanh %x : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @control
func.func @control(%x: tensor<4xf32>, %loss: tensor<f32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: burn.stop_gradient %{{.*}} : tensor<4xf32>
  %stopped = burn.stop_gradient %x : tensor<4xf32>
  // CHECK: burn.grad(%{{.*}}) wrt(%{{.*}}) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %g = burn.grad(%loss) wrt(%w) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: burn.grad(%{{.*}}) cotangents(%{{.*}}) wrt(%{{.*}}) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gc = burn.grad(%x) cotangents(%w) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[R:.*]] = burn.fused elementwise (%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ^bb0(%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>):
  // CHECK: %[[S:.*]] = burn.add %[[X]], %[[Y]]
  // CHECK: burn.yield %[[S]] : tensor<4xf32>
  %r = burn.fused elementwise (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %s = burn.add %a, %b : tensor<4xf32>
    burn.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Tests that every element type and a tensor without elements are taken.
// CHECK-LABEL: @types
func.func @types(%a: tensor<f64>, %b: tensor<2x0xf16>, %c: tensor<1xbf16>, %d: tensor<i8>, %e: tensor<ui8>,
                 %f: tensor<i16>, %g: tensor<ui16>, %h: tensor<i32>, %i: tensor<ui32>, %j: tensor<i64>,
                 %k: tensor<ui64>) {
  // CHECK: burn.neg %{{.*}} : tensor<f64>
  %0 = burn.neg %a : tensor<f64>
  // CHECK: burn.neg %{{.*}} : tensor<2x0xf16>
  %1 = burn.neg %b : tensor<2x0xf16>
  // CHECK: burn.neg %{{.*}} : tensor<1xbf16>
  %2 = burn.neg %c : tensor<1xbf16>
  // CHECK: burn.add %{{.*}} : tensor<ui8>
  %3 = burn.add %e, %e : tensor<ui8>
  // CHECK: burn.convert %{{.*}} : tensor<ui64> to tensor<i1>
  %4 = burn.convert %k : tensor<ui64> to tensor<i1>
  return
}

// Tests that panels stand next to the contraction that they are packed for, or unpacked for.
// CHECK-LABEL: @panels
func.func @panels(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> (tensor<1024xi8>, tensor<4x2xf32>) {
  %p = burn.fused contraction (%w) : (tensor<8x2xf32>) -> tensor<1024xi8> {
  ^bb0(%b: tensor<8x2xf32>):
    %a = burn.constant dense<0.0> : tensor<4x8xf32>
    %d = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<4x8xf32>, tensor<8x2xf32> to tensor<4x2xf32>
    // CHECK: burn.pack_panels 1 of %{{.*}} : tensor<4x2xf32> to tensor<1024xi8>
    %q = burn.pack_panels 1 of %d : tensor<4x2xf32> to tensor<1024xi8>
    burn.yield %q : tensor<1024xi8>
  }
  %r = burn.fused contraction (%x, %p) : (tensor<4x8xf32>, tensor<1024xi8>) -> tensor<4x2xf32> {
  ^bb0(%a: tensor<4x8xf32>, %q: tensor<1024xi8>):
    // CHECK: burn.unpack_panels %{{.*}} : tensor<1024xi8> to tensor<8x2xf32>
    %b = burn.unpack_panels %q : tensor<1024xi8> to tensor<8x2xf32>
    %d = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
        rhs_contract = array<i64: 0>} : tensor<4x8xf32>, tensor<8x2xf32> to tensor<4x2xf32>
    burn.yield %d : tensor<4x2xf32>
  }
  return %p, %r : tensor<1024xi8>, tensor<4x2xf32>
}
