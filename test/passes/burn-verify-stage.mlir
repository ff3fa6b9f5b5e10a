// RUN: not burn-opt %s --burn-verify-stage=stage=differentiated 2>&1 | FileCheck %s --check-prefix=DIFFERENTIATED
// RUN: not burn-opt %s --burn-verify-stage=stage=simplified 2>&1 | FileCheck %s --check-prefix=SIMPLIFIED
// RUN: not burn-opt %s --burn-verify-stage=stage=decomposed 2>&1 | FileCheck %s --check-prefix=DECOMPOSED
// RUN: not burn-opt %s --burn-verify-stage=stage=fused 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: not burn-opt %s --burn-verify-stage=stage=planned 2>&1 | FileCheck %s --check-prefix=PLANNED
// RUN: not burn-opt %s --burn-verify-stage=stage=lowered 2>&1 | FileCheck %s --check-prefix=LOWERED
// RUN: not burn-opt %s --burn-verify-stage=stage=unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Tests that each stage reports what it should have removed.

// DIFFERENTIATED-NOT: error:
// DIFFERENTIATED:     error: 'burn.grad' op must not be left after differentiation
// DIFFERENTIATED-NOT: error:

// SIMPLIFIED:     error: 'burn.stop_gradient' op must not be left after simplification
// SIMPLIFIED:     error: 'burn.grad' op must not be left after differentiation
// SIMPLIFIED-NOT: error:

// DECOMPOSED: error: 'burn.softmax' op must not be left after decomposition

// FUSED:     error: 'burn.add' op must stand in a burn.fused after fusion
// FUSED-NOT: error: 'burn.mul'

// PLANNED: error: 'burn.fused' op must have places for its results after memory planning

// LOWERED: error: 'burn.add' op must not be left after lowering
// LOWERED: error: 'func.return' op must not have values of tensor type after lowering

// UNKNOWN: for the --stage option: Cannot find option named 'unknown'!

func.func @all(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = burn.fused elementwise (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%in: tensor<4xf32>):
    %m = burn.mul %in, %in : tensor<4xf32>
    burn.yield %m : tensor<4xf32>
  }
  %a = burn.add %r, %r : tensor<4xf32>
  %s = burn.stop_gradient %a : tensor<4xf32>
  %t = burn.softmax %s {axis = 0} : tensor<4xf32>
  %g = burn.grad(%t) cotangents(%t) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
