// REQUIRES: host-avx2
// RUN: burn-run --reference %s | FileCheck %s
// RUN: burn-run %s | FileCheck %s

// Tests floats of 8 bits, saturated or not, by the interpreter and compiled. f8E4M3FN reaches 448 = 0x7e = 126 and has
// NaN = 127 behind it; 464 ties to 448. f8E5M2 reaches 57344 = 0x7b = 123 and has infinity = 124 behind it; 61440 ties
// to what would be next. The sign adds 128.

// CHECK:      result 0
// CHECK-NEXT: 126 126 126 254
// CHECK-NEXT: result 1
// CHECK-NEXT: 126 127 127 255
// CHECK-NEXT: result 2
// CHECK-NEXT: 123 123 123 251
// CHECK-NEXT: result 3
// CHECK-NEXT: 123 124 124 252
func.func @main() -> (tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>) {
  %one = burn.constant dense<1.0> : tensor<1xf32>
  %x = burn.constant dense<[464.0, 465.0, 1000.0, 0xFF800000]> : tensor<4xf32>
  %a = burn.quantize f8E4M3FN %x, %one {block = array<i64: 4>, saturate = true} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xui8>
  %b = burn.quantize f8E4M3FN %x, %one {block = array<i64: 4>, saturate = false} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xui8>
  %y = burn.constant dense<[61439.0, 61440.0, 0x7F800000, -1.0e9]> : tensor<4xf32>
  %c = burn.quantize f8E5M2 %y, %one {block = array<i64: 4>, saturate = true} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xui8>
  %d = burn.quantize f8E5M2 %y, %one {block = array<i64: 4>, saturate = false} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xui8>
  return %a, %b, %c, %d : tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>
}
