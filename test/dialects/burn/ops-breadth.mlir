// RUN: burn-opt %s --verify-roundtrip | FileCheck %s
// RUN: burn-opt %s --emit-bytecode | burn-opt | FileCheck %s

// The examples of the descriptions print and parse, as text and as bytecode.

// CHECK-LABEL: @cbrt
func.func @cbrt(%x: tensor<4xf32>) {
  // CHECK: burn.cbrt 
  %r = burn.cbrt %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @exp2
func.func @exp2(%x: tensor<4xf32>) {
  // CHECK: burn.exp2 
  %r = burn.exp2 %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @log2
func.func @log2(%x: tensor<4xf32>) {
  // CHECK: burn.log2 
  %r = burn.log2 %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @log10
func.func @log10(%x: tensor<4xf32>) {
  // CHECK: burn.log10 
  %r = burn.log10 %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @sin
func.func @sin(%x: tensor<4xf32>) {
  // CHECK: burn.sin 
  %r = burn.sin %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @cos
func.func @cos(%x: tensor<4xf32>) {
  // CHECK: burn.cos 
  %r = burn.cos %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @tan
func.func @tan(%x: tensor<4xf32>) {
  // CHECK: burn.tan 
  %r = burn.tan %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @asin
func.func @asin(%x: tensor<4xf32>) {
  // CHECK: burn.asin 
  %r = burn.asin %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @acos
func.func @acos(%x: tensor<4xf32>) {
  // CHECK: burn.acos 
  %r = burn.acos %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @atan
func.func @atan(%x: tensor<4xf32>) {
  // CHECK: burn.atan 
  %r = burn.atan %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @sinh
func.func @sinh(%x: tensor<4xf32>) {
  // CHECK: burn.sinh 
  %r = burn.sinh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @cosh
func.func @cosh(%x: tensor<4xf32>) {
  // CHECK: burn.cosh 
  %r = burn.cosh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @asinh
func.func @asinh(%x: tensor<4xf32>) {
  // CHECK: burn.asinh 
  %r = burn.asinh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @acosh
func.func @acosh(%x: tensor<4xf32>) {
  // CHECK: burn.acosh 
  %r = burn.acosh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @atanh
func.func @atanh(%x: tensor<4xf32>) {
  // CHECK: burn.atanh 
  %r = burn.atanh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @erfc
func.func @erfc(%x: tensor<4xf32>) {
  // CHECK: burn.erfc 
  %r = burn.erfc %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @erfinv
func.func @erfinv(%x: tensor<4xf32>) {
  // CHECK: burn.erfinv 
  %r = burn.erfinv %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @lgamma
func.func @lgamma(%x: tensor<4xf32>) {
  // CHECK: burn.lgamma 
  %r = burn.lgamma %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @digamma
func.func @digamma(%x: tensor<4xf32>) {
  // CHECK: burn.digamma 
  %r = burn.digamma %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @polygamma
func.func @polygamma(%x: tensor<4xf32>) {
  // CHECK: burn.polygamma 
  %r = burn.polygamma %x {n = 1} : tensor<4xf32>
  return
}

// CHECK-LABEL: @powi
func.func @powi(%x: tensor<4xf32>) {
  // CHECK: burn.powi 
  %r = burn.powi %x {exponent = 3} : tensor<4xf32>
  return
}

// CHECK-LABEL: @atan2
func.func @atan2(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: burn.atan2 
  %r = burn.atan2 %a, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: @hypot
func.func @hypot(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: burn.hypot 
  %r = burn.hypot %a, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: @trunc
func.func @trunc(%x: tensor<4xf32>) {
  // CHECK: burn.trunc 
  %r = burn.trunc %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @is_nan
func.func @is_nan(%x: tensor<4xf32>) {
  // CHECK: burn.is_nan 
  %r = burn.is_nan %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @is_inf
func.func @is_inf(%x: tensor<4xf32>) {
  // CHECK: burn.is_inf 
  %r = burn.is_inf %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @is_finite
func.func @is_finite(%x: tensor<4xf32>) {
  // CHECK: burn.is_finite 
  %r = burn.is_finite %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @popcnt
func.func @popcnt(%x: tensor<4xi32>) {
  // CHECK: burn.popcnt 
  %r = burn.popcnt %x : tensor<4xi32>
  return
}

// CHECK-LABEL: @clz
func.func @clz(%x: tensor<4xi32>) {
  // CHECK: burn.clz 
  %r = burn.clz %x : tensor<4xi32>
  return
}

// CHECK-LABEL: @rem
func.func @rem(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: burn.rem 
  %r = burn.rem floor %a, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: @floor_div
func.func @floor_div(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  // CHECK: burn.floor_div 
  %r = burn.floor_div %a, %b : tensor<4xi32>
  return
}

// CHECK-LABEL: @copysign
func.func @copysign(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: burn.copysign 
  %r = burn.copysign %a, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: @fmax
func.func @fmax(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: burn.fmax 
  %r = burn.fmax %a, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: @fmin
func.func @fmin(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: burn.fmin 
  %r = burn.fmin %a, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: @shl
func.func @shl(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  // CHECK: burn.shl 
  %r = burn.shl %a, %b : tensor<4xi32>
  return
}

// CHECK-LABEL: @shr
func.func @shr(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  // CHECK: burn.shr 
  %r = burn.shr %a, %b : tensor<4xi32>
  return
}

// CHECK-LABEL: @bitcast
func.func @bitcast(%x: tensor<4xf32>) {
  // CHECK: burn.bitcast 
  %r = burn.bitcast %x : tensor<4xf32> to tensor<4xi32>
  return
}

// CHECK-LABEL: @reduce_precision
func.func @reduce_precision(%x: tensor<4xf32>) {
  // CHECK: burn.reduce_precision 
  %r = burn.reduce_precision %x {type = bf16} : tensor<4xf32>
  return
}

// CHECK-LABEL: @sort
func.func @sort(%x: tensor<2x3xf32>, %j: tensor<2x3xi64>) {
  // CHECK: burn.sort 
  %v, %i = burn.sort %x, %j {axis = 1, descending = false} : (tensor<2x3xf32>, tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// CHECK-LABEL: @topk
func.func @topk(%x: tensor<2x3xf32>) {
  // CHECK: burn.topk 
  %v, %i = burn.topk %x {axis = 1, k = 2, largest = true} : tensor<2x3xf32> to tensor<2x2xf32>, tensor<2x2xi64>
  return
}

// CHECK-LABEL: @nonzero
func.func @nonzero(%x: tensor<2x3xf32>) {
  // CHECK: burn.nonzero 
  %i, %n = burn.nonzero %x {max_count = 6} : tensor<2x3xf32> to tensor<6x2xi64>, tensor<i64>
  return
}

// CHECK-LABEL: @moments
func.func @moments(%x: tensor<2x3xf32>) {
  // CHECK: burn.moments 
  %m, %v = burn.moments %x {dims = array<i64: 1>, correction = 1} : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @scan
func.func @scan(%x: tensor<2x3xf32>) {
  // CHECK: burn.scan 
  %r = burn.scan sum %x {axis = 1, exclusive = false, reverse = false} : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @linear_scan
func.func @linear_scan(%a: tensor<2x3xf32>, %x: tensor<2x3xf32>) {
  // CHECK: burn.linear_scan 
  %r = burn.linear_scan %a, %x {axis = 1, reverse = false} : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @uniform
func.func @uniform(%key: tensor<2xui32>, %counter: tensor<ui64>) {
  // CHECK: burn.uniform 
  %r = burn.uniform %key, %counter {ordinal = 0} : tensor<4x5xf32>
  return
}

// CHECK-LABEL: @normal
func.func @normal(%key: tensor<2xui32>, %counter: tensor<ui64>) {
  // CHECK: burn.normal 
  %r = burn.normal %key, %counter {ordinal = 0} : tensor<4x5xf32>
  return
}

// CHECK-LABEL: @bernoulli
func.func @bernoulli(%p: tensor<4x5xf32>, %key: tensor<2xui32>, %counter: tensor<ui64>) {
  // CHECK: burn.bernoulli 
  %r = burn.bernoulli %p, %key, %counter {ordinal = 0} : tensor<4x5xf32>
  return
}

// CHECK-LABEL: @categorical
func.func @categorical(%w: tensor<4x5xf32>, %key: tensor<2xui32>, %counter: tensor<ui64>) {
  // CHECK: burn.categorical 
  %r = burn.categorical %w, %key, %counter {ordinal = 0, samples = 3} : tensor<4x5xf32> to tensor<4x3xi64>
  return
}

// CHECK-LABEL: @silu
func.func @silu(%x: tensor<4xf32>) {
  // CHECK: burn.silu 
  %r = burn.silu %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @softplus
func.func @softplus(%x: tensor<4xf32>) {
  // CHECK: burn.softplus 
  %r = burn.softplus %x {beta = 1.0 : f64, threshold = 20.0 : f64} : tensor<4xf32>
  return
}

// CHECK-LABEL: @mish
func.func @mish(%x: tensor<4xf32>) {
  // CHECK: burn.mish 
  %r = burn.mish %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @elu
func.func @elu(%x: tensor<4xf32>) {
  // CHECK: burn.elu 
  %r = burn.elu %x {alpha = 1.0 : f64} : tensor<4xf32>
  return
}

// CHECK-LABEL: @selu
func.func @selu(%x: tensor<4xf32>) {
  // CHECK: burn.selu 
  %r = burn.selu %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @celu
func.func @celu(%x: tensor<4xf32>) {
  // CHECK: burn.celu 
  %r = burn.celu %x {alpha = 1.0 : f64} : tensor<4xf32>
  return
}

// CHECK-LABEL: @hard_sigmoid
func.func @hard_sigmoid(%x: tensor<4xf32>) {
  // CHECK: burn.hard_sigmoid 
  %r = burn.hard_sigmoid %x {alpha = 0.2 : f64, beta = 0.5 : f64} : tensor<4xf32>
  return
}

// CHECK-LABEL: @hard_swish
func.func @hard_swish(%x: tensor<4xf32>) {
  // CHECK: burn.hard_swish 
  %r = burn.hard_swish %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @leaky_relu
func.func @leaky_relu(%x: tensor<4xf32>) {
  // CHECK: burn.leaky_relu 
  %r = burn.leaky_relu %x {slope = 0.01 : f64} : tensor<4xf32>
  return
}

// CHECK-LABEL: @log_sigmoid
func.func @log_sigmoid(%x: tensor<4xf32>) {
  // CHECK: burn.log_sigmoid 
  %r = burn.log_sigmoid %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @logsumexp
func.func @logsumexp(%x: tensor<2x3xf32>) {
  // CHECK: burn.logsumexp 
  %r = burn.logsumexp %x {dims = array<i64: 1>} : tensor<2x3xf32> to tensor<2xf32>
  return
}

// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<2x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) {
  // CHECK: burn.layer_norm 
  %y, %m, %r = burn.layer_norm %x, %s, %b {axis = 1, epsilon = 1.0e-5 : f64} : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// CHECK-LABEL: @group_norm
func.func @group_norm(%x: tensor<2x4x3xf32>) {
  // CHECK: burn.group_norm 
  %y, %m, %r = burn.group_norm %x {groups = 2, epsilon = 1.0e-5 : f64} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return
}

// CHECK-LABEL: @rms_norm
func.func @rms_norm(%x: tensor<2x8xf32>, %s: tensor<8xf32>) {
  // CHECK: burn.rms_norm 
  %y, %r = burn.rms_norm %x, %s {axis = 1, epsilon = 1.0e-5 : f64} : (tensor<2x8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2xf32>)
  return
}

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>) {
  // CHECK: burn.attention 
  %o, %lse = burn.attention %q, %k, %v {causal = true, scale = 0.125 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// CHECK-LABEL: @attention_grad
func.func @attention_grad(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>, %lse: tensor<1x2x3xf32>, %g: tensor<1x2x3x4xf32>, %delta: tensor<1x2x3xf32>) {
  // CHECK: burn.attention_grad %{{.*}}, %{{.*}}, %{{.*}} lse %{{.*}} of %{{.*}}, %{{.*}} {
  %dq, %dk, %dv, %ds = burn.attention_grad %q, %k, %v lse %lse of %g, %delta {causal = true, scale = 0.125 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x5xf32>)
  return
}

// Its statistics and the gradient of the scores are f32 where the rest is narrow.
// CHECK-LABEL: @attention_grad_narrow
func.func @attention_grad_narrow(%q: tensor<1x2x3x8xbf16>, %k: tensor<1x2x5x8xbf16>, %v: tensor<1x2x5x4xbf16>, %lse: tensor<1x2x3xf32>, %g: tensor<1x2x3x4xbf16>, %delta: tensor<1x2x3xf32>) {
  // CHECK: burn.attention_grad %{{.*}}, %{{.*}}, %{{.*}} lse %{{.*}} of %{{.*}}, %{{.*}} {
  %dq, %dk, %dv, %ds = burn.attention_grad %q, %k, %v lse %lse of %g, %delta {causal = true, scale = 0.125 : f64, softcap = 0.0 : f64} : (tensor<1x2x3x8xbf16>, tensor<1x2x5x8xbf16>, tensor<1x2x5x4xbf16>, tensor<1x2x3xf32>, tensor<1x2x3x4xbf16>, tensor<1x2x3xf32>) -> (tensor<1x2x3x8xbf16>, tensor<1x2x5x8xbf16>, tensor<1x2x5x4xbf16>, tensor<1x2x3x5xf32>)
  return
}

// CHECK-LABEL: @embedding
func.func @embedding(%t: tensor<10x8xf32>, %i: tensor<4x3xi64>) {
  // CHECK: burn.embedding 
  %r = burn.embedding %t, %i {padding_idx = -1} : tensor<10x8xf32>, tensor<4x3xi64> to tensor<4x3x8xf32>
  return
}

// CHECK-LABEL: @interpolate
func.func @interpolate(%x: tensor<1x2x4xf32>) {
  // CHECK: burn.interpolate 
  %r = burn.interpolate nearest half_pixel floor %x {sizes = array<i64: 8>, scales = array<f64: 2.0>, cubic_coeff = -0.75 : f64} : tensor<1x2x4xf32> to tensor<1x2x8xf32>
  return
}

// CHECK-LABEL: @rope
func.func @rope(%x: tensor<2x4x8xf32>, %c: tensor<4x4xf32>, %s: tensor<4x4xf32>) {
  // CHECK: burn.rope 
  %r = burn.rope %x, %c, %s {interleaved = false} : tensor<2x4x8xf32>, tensor<4x4xf32>
  return
}

// CHECK-LABEL: @adamw_update
func.func @adamw_update(%p: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %step: tensor<f64>, %correction: tensor<f64>, %decay: tensor<f64>) {
  // CHECK: burn.adamw_update 
  %q, %n, %w = burn.adamw_update %p, %g, %m, %v, %step, %correction, %decay {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64} : tensor<4xf32>
  return
}

// CHECK-LABEL: @quantize
func.func @quantize(%x: tensor<2x8xf32>, %s: tensor<2x2xf32>) {
  // CHECK: burn.quantize 
  %q = burn.quantize i4 %x, %s {block = array<i64: 1, 4>, saturate = true} : (tensor<2x8xf32>, tensor<2x2xf32>) -> tensor<2x4xui8>
  return
}

// CHECK-LABEL: @dequantize
func.func @dequantize(%q: tensor<2x4xui8>, %s: tensor<2x2xf32>) {
  // CHECK: burn.dequantize 
  %x = burn.dequantize i4 %q, %s {block = array<i64: 1, 4>} : (tensor<2x4xui8>, tensor<2x2xf32>) -> tensor<2x8xf32>
  return
}
