// Tests that a switch of the environment that is neither on nor off is refused, by name.
// RUN: env BURN_DETERMINISTIC=no not burn-run %s 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: env BURN_FAST_MATH=fast not burn-run %s 2>&1 | FileCheck %s --check-prefix=MATH
// RUN: env BURN_DETERMINISTIC= BURN_FAST_MATH= burn-run %s | FileCheck %s
// RUN: env BURN_DETERMINISTIC=1 BURN_FAST_MATH=0 burn-run %s | FileCheck %s
// ORDER: burn-run: {{.*}}BURN_DETERMINISTIC is 'no'; it is 0 or 1
// MATH: burn-run: {{.*}}BURN_FAST_MATH is 'fast'; it is 0 or 1
// CHECK: 3
func.func @main() -> tensor<f32> {
  %a = burn.constant dense<1.0> : tensor<f32>
  %b = burn.constant dense<2.0> : tensor<f32>
  %r = burn.add %a, %b : tensor<f32>
  return %r : tensor<f32>
}
