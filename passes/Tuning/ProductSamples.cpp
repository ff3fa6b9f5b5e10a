#include "passes/Tuning/ProductSamples.h"

#include "dialects/Burn/Interpreter/Bounds.h"
#include "dialects/Burn/Interpreter/Evaluate.h"

#include "llvm/ADT/STLExtras.h"

using namespace burn;
using namespace burn::compiler;
using core::ErrorCode;
using core::Status;
using ir::HostTensor;

namespace {

using Indices = std::vector<int64_t>;

/// Up to `most` indices of a dim, the first and the last among them.
Indices sample(int64_t size, int64_t most, uint32_t &state) {
  Indices result;
  if (size <= most) {
    for (int64_t i = 0; i < size; ++i)
      result.push_back(i);
    return result;
  }
  result = {0, size - 1};
  while (static_cast<int64_t>(result.size()) < most) {
    state = state * 1664525u + 1013904223u;
    const int64_t index = static_cast<int64_t>(state >> 8) % size;
    if (!llvm::is_contained(result, index))
      result.push_back(index);
  }
  llvm::sort(result);
  return result;
}

/// The elements of a tensor at the given indices of each dim.
HostTensor gather(const TensorView &from, llvm::ArrayRef<Indices> indices) {
  core::TypeDesc type = from.type;
  std::vector<int64_t> strides(indices.size(), 1);
  for (size_t dim = indices.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * from.type.shape[dim];
  type.shape = {};
  for (const Indices &dim : indices)
    type.shape.push(static_cast<int64_t>(dim.size()));
  HostTensor result(type);
  const size_t width = result.elementSize();
  std::vector<size_t> at(indices.size(), 0);
  for (int64_t i = 0; i < result.numel(); ++i) {
    int64_t place = 0;
    for (size_t dim = 0; dim < at.size(); ++dim)
      place += indices[dim][at[dim]] * strides[dim];
    std::memcpy(result.bytes.data() + static_cast<size_t>(i) * width,
                from.bytes.data() + static_cast<size_t>(place) * width, width);
    for (size_t dim = at.size(); dim-- > 0;) {
      if (++at[dim] < indices[dim].size())
        break;
      at[dim] = 0;
    }
  }
  return result;
}

Indices all(int64_t size) {
  Indices result(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i)
    result[static_cast<size_t>(i)] = i;
  return result;
}

} // namespace

Status compiler::checkProduct(const ProductCheck &check, const TensorView &lhs, const TensorView &rhs,
                              const TensorView &product) {
  const size_t lhsRank = lhs.type.shape.rank(), rhsRank = rhs.type.shape.rank(), rank = product.type.shape.rank();
  int64_t steps = 1;
  for (int64_t dim : check.lhsContract)
    steps *= lhs.type.shape[static_cast<size_t>(dim)];
  // What the interpreter does in some milliseconds.
  constexpr int64_t mostSteps = 4 << 20;
  int64_t most = 6;
  const auto samples = [&] {
    int64_t count = 1;
    for (size_t dim = 0; dim < rank; ++dim)
      count *= std::min(product.type.shape[dim], most);
    return count;
  };
  while (most > 2 && samples() * steps > mostSteps)
    --most;

  uint32_t state = 1;
  std::vector<Indices> lhsIndices(lhsRank), rhsIndices(rhsRank), indices;
  const auto choose = [&](size_t dim) -> const Indices & {
    return indices.emplace_back(sample(product.type.shape[dim], most, state));
  };
  for (auto [left, right] : llvm::zip_equal(check.lhsBatch, check.rhsBatch))
    lhsIndices[static_cast<size_t>(left)] = rhsIndices[static_cast<size_t>(right)] = choose(indices.size());
  for (auto [left, right] : llvm::zip_equal(check.lhsContract, check.rhsContract))
    lhsIndices[static_cast<size_t>(left)] = rhsIndices[static_cast<size_t>(right)] =
        all(lhs.type.shape[static_cast<size_t>(left)]);
  const auto isFree = [](size_t dim, llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> contract) {
    return !llvm::is_contained(batch, static_cast<int64_t>(dim)) &&
           !llvm::is_contained(contract, static_cast<int64_t>(dim));
  };
  for (size_t dim = 0; dim < lhsRank; ++dim)
    if (isFree(dim, check.lhsBatch, check.lhsContract))
      lhsIndices[dim] = choose(indices.size());
  for (size_t dim = 0; dim < rhsRank; ++dim)
    if (isFree(dim, check.rhsBatch, check.rhsContract))
      rhsIndices[dim] = choose(indices.size());

  const HostTensor left = gather(lhs, lhsIndices), right = gather(rhs, rhsIndices), actual = gather(product, indices);
  const HostTensor *operands[] = {&left, &right};
  std::vector<HostTensor> expected;
  if (Status status = ir::evaluate(core::OpCode::DotGeneral, operands, check.words, {&actual.type, 1},
                                   ir::Precision::Own, expected);
      !status)
    return status;
  const ir::Comparison comparison =
      ir::compareWithinBound(core::OpCode::DotGeneral, operands, check.words, 0, expected.front(), actual);
  return comparison ? Status::ok() : Status::error(ErrorCode::Internal, comparison.message);
}
