// The loops of the per-op tier: one op after the other on whole tensors or parts of them, in the op's own type. What
// has no loop here is evaluated by its meaning. Results are within the bounds that compiled code has.
#pragma once

#include "dialects/Burn/Interpreter/Evaluation.h"
#include "passes/PerOp/Tensor.h"
#include "runtime/Core/OpTable.h"

#include <array>
#include <span>
#include <vector>

namespace burn::compiler::perop {

using ir::meaning::Index;
using ir::meaning::stridesOf;
using Offsets = std::vector<int64_t>;

/// Offsets of all elements over the dimensions `dims`, in row-major order.
Offsets offsetsOver(const Shape &shape, std::span<const int64_t> dims);

/// Computes `count` elements; operands and result point to the first.
using ElementKernel = void (*)(const void *const *operands, void *result, int64_t count,
                               std::span<const int64_t> words);

/// The loop of an elementwise op, or null. Operands have the shape of the result.
ElementKernel findElementKernel(core::OpCode op, std::span<const core::TypeDesc> operands,
                                const core::TypeDesc &result);

/// Elements of a tensor in an order of their own: element i of the view is at `base` plus the index that i is, in
/// row-major order of `sizes`, times `strides`.
class StridedView {
public:
  /// Neighbouring dimensions that can be one are made one.
  StridedView(const Shape &sizes, int64_t base, std::span<const int64_t> strides);
  /// What a broadcast, transpose, slice or reverse reads; nullopt for any other op.
  static std::optional<StridedView> ofOp(core::OpCode op, std::span<const int64_t> words, const core::TypeDesc &operand,
                                         const core::TypeDesc &result);
  /// Copies elements [begin, begin + count) of `width` bytes to `target`.
  void read(const std::byte *source, int64_t width, int64_t begin, int64_t count, std::byte *target) const;

private:
  unsigned rank_ = 0;
  int64_t base_ = 0;
  std::array<int64_t, Shape::maxRank> sizes_{}, strides_{};
};

/// Each computes the op, results being allocated, or returns false where it has no loop for these types and attributes.
bool computeProduct(core::OpCode op, std::span<const Tensor> operands, std::span<const int64_t> words,
                    const Tensor &result, const Threads &threads);
bool computeReduction(std::span<const Tensor> operands, std::span<const int64_t> words, const Tensor &result,
                      const Threads &threads);
bool computeWindows(core::OpCode op, std::span<const Tensor> operands, std::span<const int64_t> words,
                    std::span<const Tensor> results, const Threads &threads);

} // namespace burn::compiler::perop
