#include "passes/Lowering/LoopBound.h"

#include "passes/Codegen/LinearIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr double kSearch = 32; // iterations of a search by halving
constexpr int kDepth = 8;      // of what is looked through, choices that is

double greatest(const LinearIndex &sum, int depth);

double greatest(Value value, int depth) { return greatest(LinearIndex(value), depth); }

// The range of a value that is no sum. Indices are not negative.
std::pair<double, double> rangeOf(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto loop = dyn_cast_or_null<scf::ForOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
    return {0, loop && loop.getInductionVar() == value ? greatest(loop.getUpperBound(), depth + 1) - 1 : kUnknown};
  }
  if (auto thread = dyn_cast<gpu::ThreadIdOp>(op))
    if (auto size = op->getParentOfType<gpu::GPUFuncOp>().getKnownBlockSize())
      return {0, double((*size)[unsigned(thread.getDimension())] - 1)};
  if (op->getNumOperands() == 2)
    if (std::optional<int64_t> number = constantOf(op->getOperand(1))) {
      if (isa<arith::RemUIOp>(op))
        return {0, std::min(double(*number - 1), greatest(op->getOperand(0), depth + 1))};
      if (isa<arith::DivUIOp>(op))
        return {0, std::floor(greatest(op->getOperand(0), depth + 1) / double(*number))};
      if (isa<arith::AndIOp>(op))
        return {0, double(*number)};
      if (isa<arith::ShRUIOp>(op))
        return {0, std::floor(greatest(op->getOperand(0), depth + 1) / std::exp2(double(*number)))};
    }
  return {0, kUnknown};
}

// The greatest value of a sum.
double greatest(const LinearIndex &sum, int depth) {
  if (depth > kDepth)
    return kUnknown;
  double bound = double(sum.constant);
  for (auto [value, factor] : sum.terms) {
    const auto [least, most] = rangeOf(value, depth);
    bound += factor > 0 ? double(factor) * most : least > 0 ? double(factor) * least : 0;
  }
  for (auto [value, factor] : sum.terms) {
    Operation *op = value.getDefiningOp();
    const auto instead = [&](unsigned i) { return greatest(sum.replaced(value, op->getOperand(i)), depth + 1); };
    if (isa_and_nonnull<arith::SelectOp>(op))
      bound = std::min(bound, std::max(instead(1), instead(2)));
    const bool isMin = isa_and_nonnull<arith::MinUIOp, arith::MinSIOp>(op);
    if (isMin || isa_and_nonnull<arith::MaxUIOp, arith::MaxSIOp>(op))
      bound =
          std::min(bound, isMin == (factor > 0) ? std::min(instead(0), instead(1)) : std::max(instead(0), instead(1)));
  }
  return bound;
}

} // namespace

double compiler::mostLoopIterations(Block &block) {
  double sum = 0;
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      LinearIndex distance(loop.getUpperBound());
      distance.add(loop.getLowerBound(), -1);
      const double step = double(constantOf(loop.getStep()).value_or(1));
      const double trips = std::max(0.0, std::ceil(greatest(distance, 0) / step));
      sum += 1;
      if (trips > 0)
        sum += trips * (1 + mostLoopIterations(*loop.getBody()));
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      sum += 1 + kSearch * (1 + mostLoopIterations(*loop.getBeforeBody()) + mostLoopIterations(*loop.getAfterBody()));
    } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
      sum += std::max(mostLoopIterations(*choice.thenBlock()),
                      choice.elseBlock() ? mostLoopIterations(*choice.elseBlock()) : 0);
    }
  }
  return sum;
}
