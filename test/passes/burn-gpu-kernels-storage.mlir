// RUN: burn-opt %s --split-input-file --burn-gpu-pipeline="target=bindings=8,int8,int16,float16,int64" --verify-diagnostics

// Tests that a GPU which computes with narrow types, but has none in memory, is refused with the name of what it lacks.

func.func @main(%a: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error @below {{elements of type 'i8' need the feature 'storage8', which the GPU does not have; booleans in memory are such elements}}
  %0 = burn.add %a, %a : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<4xi1> {
  // expected-error @below {{elements of type 'i8' need the feature 'storage8', which the GPU does not have; booleans in memory are such elements}}
  %0 = burn.is_nan %a : tensor<4xf32>
  return %0 : tensor<4xi1>
}

// -----

func.func @main(%a: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{elements of type 'f16' need the feature 'storage16', which the GPU does not have}}
  %0 = burn.add %a, %a : tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// Tests that the same holds for large results, which are accessed by vectors.

func.func @main(%a: tensor<4096xbf16>) -> tensor<4096xbf16> {
  // expected-error @below {{elements of type 'i16' need the feature 'storage16', which the GPU does not have}}
  %0 = burn.add %a, %a : tensor<4096xbf16>
  return %0 : tensor<4096xbf16>
}

// -----

// Tests that booleans which a kernel does not store need nothing of that.

func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = burn.is_nan %a : tensor<4xf32>
  %1 = burn.select %0, %b, %a : tensor<4xi1>, tensor<4xf32>
  return %1 : tensor<4xf32>
}
