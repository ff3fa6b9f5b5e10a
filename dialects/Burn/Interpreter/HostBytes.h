// What tensors of the interpreter take.
#pragma once

#include "dialects/Burn/Interpreter/HostTensor.h"

namespace burn::ir {

/// The bytes of a tensor, to be asked for with `core::checkHostMemory` before one is made, since that cannot fail.
inline __int128 hostBytes(const core::TypeDesc &type, bool complexElements = false) {
  const size_t width = complexElements && isFloat(type.dtype) ? sizeof(std::complex<double>) : byteWidth(type.dtype);
  return __int128(type.numel()) * static_cast<__int128>(width);
}

} // namespace burn::ir
