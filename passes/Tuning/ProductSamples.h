// Products whose sums have another order than those that the compiler makes: whether they are right.
#pragma once

#include "passes/Codegen/Tuning.h"
#include "runtime/Core/Status.h"
#include "runtime/Core/Types.h"

#include <cstddef>
#include <span>

namespace burn::compiler {

/// Elements of a tensor.
struct TensorView {
  core::TypeDesc type;
  std::span<const std::byte> bytes;
};

/// Compares some elements of a product, those at its edges among them, with the meaning of the op on the same operands:
/// sums in f64, within the bound n e sum|x| of the table of bounds. An error names the worst element.
core::Status checkProduct(const ProductCheck &check, const TensorView &lhs, const TensorView &rhs,
                          const TensorView &product);

} // namespace burn::compiler
