// The negation of an unsigned number wraps, and its absolute value is what it wrapped to: 65535 here, not 1.

// REQUIRES: host-avx2
// RUN: burn-fuzz %s
// RUN: burn-opt %s --burn-simplify | FileCheck %s
// CHECK: %[[NEGATED:.*]] = burn.neg
// CHECK: burn.abs %[[NEGATED]]

func.func @main(%x: tensor<17xui16> {burn.value = dense<1> : tensor<17xui16>}) -> tensor<17xui16> {
  %negated = burn.neg %x : tensor<17xui16>
  %r = burn.abs %negated : tensor<17xui16>
  return %r : tensor<17xui16>
}
