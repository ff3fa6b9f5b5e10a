#include "frontend/Tensor/Support.h"

#include "runtime/Core/ArrayText.h"

#include <ostream>
#include <string>

namespace burn {

using namespace trace;

std::string Tensor::to_string(int precision, int64_t threshold, Where where) const {
  const LocationScope scope(where);
  const std::byte *bytes = data(where);
  return core::arrayText({dtype(), shape()}, bytes, precision, threshold);
}

std::ostream &operator<<(std::ostream &stream, const Tensor &tensor) {
  // No place of this file is the user's.
  return stream << (tensor.defined() ? tensor.to_string(8, 1000, Where()) : std::string("undefined"));
}

} // namespace burn
