// RUN: burn-opt %s --split-input-file --verify-diagnostics

// Tests that activations, norms, attention and their like which break a constraint are refused; functions are named for
// its code.

func.func @celu_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.celu' op expects an alpha that is not 0 in the type that it is computed in}}
  %r = burn.celu %x {alpha = 0.0 : f64} : tensor<4xf32>
  return
}

// -----

func.func @silu_float(%x: tensor<4xi32>) {
  // expected-error@+1 {{'burn.silu' op operand #0 must be ranked tensor of floats, but got 'tensor<4xi32>'}}
  %r = burn.silu %x : tensor<4xi32>
  return
}

// -----

func.func @logsumexp_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'burn.logsumexp' op expects dims ascending within rank 2, got [1, 0]}}
  %r = burn.logsumexp %x {dims = array<i64: 1, 0>} : tensor<2x3xf32> to tensor<f32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'burn.layer_norm' op expects axis within rank 2, got 2}}
  %y, %m, %r = burn.layer_norm %x {axis = 2, epsilon = 1.0e-5 : f64} : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<2x8xf32>, %s: tensor<2xf32>) {
  // expected-error@+1 {{'burn.layer_norm' op expects scale and bias of type f32[8], got f32[2]}}
  %y, %m, %r = burn.layer_norm %x, %s {axis = 1, epsilon = 1.0e-5 : f64} : (tensor<2x8xf32>, tensor<2xf32>) -> (tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c2_many(%x: tensor<2x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{'burn.layer_norm' op expects at most 3 operands, got 4}}
  %y, %m, %r = burn.layer_norm %x, %s, %s, %s {axis = 1, epsilon = 1.0e-5 : f64} : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'burn.layer_norm' op expects epsilon to be finite in f32 and >= 0, got -1}}
  %y, %m, %r = burn.layer_norm %x {axis = 1, epsilon = -1.0 : f64} : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @group_norm_c1(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{'burn.group_norm' op expects groups to divide the 4 features, got 3}}
  %y, %m, %r = burn.group_norm %x {groups = 3, epsilon = 1.0e-5 : f64} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @group_norm_c1_rank(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.group_norm' op expects a batch and a feature dimension, got f32[4]}}
  %y, %m, %r = burn.group_norm %x {groups = 1, epsilon = 1.0e-5 : f64} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @group_norm_c2(%x: tensor<2x4x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+1 {{'burn.group_norm' op expects scale and bias of type f32[4], got f32[3]}}
  %y, %m, %r = burn.group_norm %x, %s {groups = 2, epsilon = 1.0e-5 : f64} : (tensor<2x4x3xf32>, tensor<3xf32>) -> (tensor<2x4x3xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return
}

// -----

func.func @group_norm_c3(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{'burn.group_norm' op expects epsilon to be finite in f32 and >= 0, got -1}}
  %y, %m, %r = burn.group_norm %x {groups = 2, epsilon = -1.0 : f64} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'burn.rms_norm' op expects axis within rank 2, got -1}}
  %y, %r = burn.rms_norm %x {axis = -1, epsilon = 1.0e-5 : f64} : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<2x8xf32>, %s: tensor<8xf64>) {
  // expected-error@+1 {{'burn.rms_norm' op expects scale and bias of type f32[8], got f64[8]}}
  %y, %r = burn.rms_norm %x, %s {axis = 1, epsilon = 1.0e-5 : f64} : (tensor<2x8xf32>, tensor<8xf64>) -> (tensor<2x8xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'burn.rms_norm' op expects epsilon to be finite in f32 and >= 0, got -0.5}}
  %y, %r = burn.rms_norm %x {axis = 1, epsilon = -0.5 : f64} : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>)
  return
}

// -----

func.func @attention_c1(%q: tensor<2x3x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x4xf32>) {
  // expected-error@+1 {{'burn.attention' op expects query, key and value of rank 4 and one float type, got f32[2, 3, 8]}}
  %o, %l = burn.attention %q, %k, %v {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<2x3x8xf32>, tensor<2x5x8xf32>, tensor<2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c1_type(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf64>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'burn.attention' op expects query, key and value of rank 4 and one float type, got f64[1, 2, 5, 8]}}
  %o, %l = burn.attention %q, %k, %v {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf64>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c2_batch(%q: tensor<1x2x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x4xf32>) {
  // expected-error@+1 {{'burn.attention' op expects batches that agree, got f32[1, 2, 3, 8], f32[2, 2, 5, 8] and f32[2, 2, 5, 4]}}
  %o, %l = burn.attention %q, %k, %v {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c2_depth(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x7xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'burn.attention' op expects query and key of one size in the last dimension, got f32[1, 2, 3, 8], f32[1, 2, 5, 7] and f32[1, 2, 5, 4]}}
  %o, %l = burn.attention %q, %k, %v {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x7xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c2_keys(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x6x4xf32>) {
  // expected-error@+1 {{'burn.attention' op expects as many keys as values, got f32[1, 2, 3, 8], f32[1, 2, 5, 8] and f32[1, 2, 6, 4]}}
  %o, %l = burn.attention %q, %k, %v {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x6x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c2_heads(%q: tensor<1x2x3x8xf32>, %k: tensor<1x3x5x8xf32>, %v: tensor<1x3x5x4xf32>) {
  // expected-error@+1 {{'burn.attention' op expects heads that are a multiple of the key heads, got f32[1, 2, 3, 8], f32[1, 3, 5, 8] and f32[1, 3, 5, 4]}}
  %o, %l = burn.attention %q, %k, %v {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c3_mask(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>, %m: tensor<1x1x3x4xi1>) {
  // expected-error@+1 {{'burn.attention' op expects a boolean mask of shape [batch or 1, heads or 1, queries or 1, keys], got i1[1, 1, 3, 4] for scores of shape [1, 2, 3, 5]}}
  %o, %l = burn.attention %q, %k, %v mask %m {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x1x3x4xi1>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c3_bias(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>, %m: tensor<1x1x3x5xf64>) {
  // expected-error@+1 {{'burn.attention' op expects a bias of shape [batch or 1, heads or 1, queries or 1, keys], got f64[1, 1, 3, 5] for scores of shape [1, 2, 3, 5]}}
  %o, %l = burn.attention %q, %k, %v bias %m {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x1x3x5xf64>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c4(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'burn.attention' op expects softcap >= 0, got -1.000000}}
  %o, %l = burn.attention %q, %k, %v {causal = false, scale = 1.0 : f64, softcap = -1.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_grad_c1(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x7xf32>, %v: tensor<1x2x5x4xf32>, %lse: tensor<1x2x3xf32>, %g: tensor<1x2x3x4xf32>, %delta: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'burn.attention_grad' op expects query and key of one size in the last dimension, got f32[1, 2, 3, 8], f32[1, 2, 5, 7] and f32[1, 2, 5, 4]}}
  %dq, %dk, %dv, %ds = burn.attention_grad %q, %k, %v lse %lse of %g, %delta {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x7xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> (tensor<1x2x3x8xf32>, tensor<1x2x5x7xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x5xf32>)
  return
}

// -----

func.func @attention_grad_c2_lse(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>, %lse: tensor<1x2x4xf32>, %g: tensor<1x2x3x4xf32>, %delta: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'burn.attention_grad' op expects lse and delta of type f32[1, 2, 3], got f32[1, 2, 4] and f32[1, 2, 3]}}
  %dq, %dk, %dv, %ds = burn.attention_grad %q, %k, %v lse %lse of %g, %delta {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x5xf32>)
  return
}

// -----

func.func @attention_grad_c2_result(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>, %lse: tensor<1x2x3xf32>, %g: tensor<1x2x3x8xf32>, %delta: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'burn.attention_grad' op expects a gradient of type f32[1, 2, 3, 4], got f32[1, 2, 3, 8]}}
  %dq, %dk, %dv, %ds = burn.attention_grad %q, %k, %v lse %lse of %g, %delta {causal = false, scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3xf32>) -> (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x5xf32>)
  return
}

// -----

func.func @embedding_c1(%t: tensor<10xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{'burn.embedding' op expects a table of floats of rank 2, got f32[10]}}
  %r = burn.embedding %t, %i {padding_idx = -1} : tensor<10xf32>, tensor<4xi64> to tensor<4xf32>
  return
}

// -----

func.func @embedding_c2(%t: tensor<10x8xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{'burn.embedding' op expects padding_idx -1 or a row of f32[10, 8], got 10}}
  %r = burn.embedding %t, %i {padding_idx = 10} : tensor<10x8xf32>, tensor<4xi64> to tensor<4x8xf32>
  return
}

// -----

func.func @interpolate_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'burn.interpolate' op expects as many scales as sizes, at most 2, got 2 and 1}}
  %r = burn.interpolate nearest half_pixel floor %x {sizes = array<i64: 8>, scales = array<f64: 2.0, 1.0>, cubic_coeff = -0.75 : f64} : tensor<2x4xf32> to tensor<2x8xf32>
  return
}

// -----

func.func @interpolate_c2(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'burn.interpolate' op cannot resample 4 elements to 0}}
  %r = burn.interpolate nearest half_pixel floor %x {sizes = array<i64: 0>, scales = array<f64: 2.0>, cubic_coeff = -0.75 : f64} : tensor<2x4xf32> to tensor<2x0xf32>
  return
}

// -----

func.func @interpolate_c3(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'burn.interpolate' op expects scales that are finite and above 0, got 0.000000}}
  %r = burn.interpolate nearest half_pixel floor %x {sizes = array<i64: 8>, scales = array<f64: 0.0>, cubic_coeff = -0.75 : f64} : tensor<2x4xf32> to tensor<2x8xf32>
  return
}

// -----

func.func @rope_c1(%x: tensor<2x4x8xf32>, %c: tensor<4x5xf32>) {
  // expected-error@+1 {{'burn.rope' op expects cosine and sine of shape [positions, at most half the last dimension] for f32[2, 4, 8], got f32[4, 5]}}
  %r = burn.rope %x, %c, %c {interleaved = false} : tensor<2x4x8xf32>, tensor<4x5xf32>
  return
}

// -----

func.func @rope_c2(%x: tensor<2x4x8xf32>, %c: tensor<4x4xf64>) {
  // expected-error@+1 {{'burn.rope' op expects cosine and sine of one type with the input's elements, got f64[4, 4] and f64[4, 4]}}
  %r = burn.rope %x, %c, %c {interleaved = false} : tensor<2x4x8xf32>, tensor<4x4xf64>
  return
}

// -----

func.func @softplus_c1_beta(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.softplus' op expects a beta that is not 0 in the type that it is computed in}}
  %r = burn.softplus %x {beta = 0.0 : f64, threshold = 20.0 : f64} : tensor<4xf32>
  return
}

// -----

func.func @softplus_c1_threshold(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.softplus' op expects threshold to be a number, got nan}}
  %r = burn.softplus %x {beta = 1.0 : f64, threshold = 0x7FF8000000000000 : f64} : tensor<4xf32>
  return
}

// -----

func.func @elu_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.elu' op expects alpha to be finite in f32, got inf}}
  %r = burn.elu %x {alpha = 0x7FF0000000000000 : f64} : tensor<4xf32>
  return
}

// -----

func.func @celu_c1_finite(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.celu' op expects alpha to be finite in f32, got nan}}
  %r = burn.celu %x {alpha = 0x7FF8000000000000 : f64} : tensor<4xf32>
  return
}

// -----

func.func @hard_sigmoid_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.hard_sigmoid' op expects beta to be finite in f32, got inf}}
  %r = burn.hard_sigmoid %x {alpha = 0.2 : f64, beta = 0x7FF0000000000000 : f64} : tensor<4xf32>
  return
}

// -----

func.func @leaky_relu_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'burn.leaky_relu' op expects slope to be finite in f32, got nan}}
  %r = burn.leaky_relu %x {slope = 0x7FF8000000000000 : f64} : tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c3_infinite(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{'burn.layer_norm' op expects epsilon to be finite in f32 and >= 0, got inf}}
  %y, %m, %r = burn.layer_norm %x {axis = 1, epsilon = 0x7FF0000000000000 : f64} : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @attention_c4_infinite(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'burn.attention' op expects softcap to be finite in f32, got inf}}
  %o, %l = burn.attention %q, %k, %v {causal = false, scale = 1.0 : f64, softcap = 0x7FF0000000000000 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c4_scale(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'burn.attention' op expects scale to be finite in f32, got nan}}
  %o, %l = burn.attention %q, %k, %v {causal = false, scale = 0x7FF8000000000000 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @interpolate_c3_infinite(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'burn.interpolate' op expects scales that are finite and above 0, got inf}}
  %r = burn.interpolate nearest half_pixel floor %x {sizes = array<i64: 8>, scales = array<f64: 0x7FF0000000000000>, cubic_coeff = -0.75 : f64} : tensor<2x4xf32> to tensor<2x8xf32>
  return
}

// -----

func.func @interpolate_c3_coefficient(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'burn.interpolate' op expects cubic_coeff to be finite in f32, got nan}}
  %r = burn.interpolate cubic half_pixel floor %x {sizes = array<i64: 8>, scales = array<f64: 2.0>, cubic_coeff = 0x7FF8000000000000 : f64} : tensor<2x4xf32> to tensor<2x8xf32>
  return
}

// -----

func.func @adamw_update_c3(%p: tensor<4xf32>, %s: tensor<f64>) {
  // expected-error@+1 {{'burn.adamw_update' op expects betas in [0, 1), got 1.000000}}
  %q, %n, %w = burn.adamw_update %p, %p, %p, %p, %s, %s, %s {beta1 = 1.0 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64} : tensor<4xf32>
  return
}

// -----

func.func @adamw_update_c3_epsilon(%p: tensor<4xf32>, %s: tensor<f64>) {
  // expected-error@+1 {{'burn.adamw_update' op expects epsilon to be finite in f32 and >= 0, got nan}}
  %q, %n, %w = burn.adamw_update %p, %p, %p, %p, %s, %s, %s {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 0x7FF8000000000000 : f64} : tensor<4xf32>
  return
}

// -----

// A number that overflows in the type of the arithmetic.
func.func @slope(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error@+1 {{'burn.leaky_relu' op expects slope to be finite in f32, got 1e+39}}
  %r = burn.leaky_relu %x {slope = 1.0e39 : f64} : tensor<4xf16>
  return %r : tensor<4xf16>
}

// -----

func.func @celu(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'burn.celu' op expects an alpha that is not 0 in the type that it is computed in}}
  %r = burn.celu %x {alpha = 1.0e-60 : f64} : tensor<4xf32>
  return %r : tensor<4xf32>
}
