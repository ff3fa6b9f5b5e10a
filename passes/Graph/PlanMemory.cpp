// burn-plan-memory: decides where every value of a fused function lives.
#include "passes/Graph/Accesses.h"
#include "passes/Graph/Passes.h"
#include "runtime/Core/Executable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/MathExtras.h"

#include <map>

namespace burn::compiler {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

int64_t byteSize(Value value) { return ir::toTypeDesc(value.getType())->byteSize(); }

unsigned elementBytes(Value value) { return byteWidth(ir::toTypeDesc(value.getType())->dtype); }

// The value whose buffer this is: reshapes share that of their operand.
Value bufferOf(Value value) {
  while (auto reshape = value.getDefiningOp<ir::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

// Offsets in one block of memory; freed ranges are joined and handed out again, smallest fit first.
class Arena {
public:
  int64_t allocate(int64_t bytes) {
    bytes = rounded(bytes);
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it)
      if (it->second >= bytes && (best == free_.end() || it->second < best->second))
        best = it;
    if (best == free_.end()) {
      // Grow, taking over a free range at the end.
      int64_t offset = size_;
      if (!free_.empty() && std::prev(free_.end())->first + std::prev(free_.end())->second == size_) {
        offset = std::prev(free_.end())->first;
        free_.erase(std::prev(free_.end()));
      }
      size_ = offset + bytes;
      return offset;
    }
    const auto [offset, available] = *best;
    free_.erase(best);
    if (available > bytes)
      free_[offset + bytes] = available - bytes;
    return offset;
  }

  void release(int64_t offset, int64_t bytes) {
    bytes = rounded(bytes);
    if (bytes == 0)
      return;
    auto it = free_.emplace(offset, bytes).first;
    if (auto next = std::next(it); next != free_.end() && offset + bytes == next->first) {
      it->second += next->second;
      free_.erase(next);
    }
    if (it != free_.begin())
      if (auto before = std::prev(it); before->first + before->second == it->first) {
        before->second += it->second;
        free_.erase(it);
      }
  }

  int64_t size() const { return size_; }

private:
  static int64_t rounded(int64_t bytes) { return llvm::alignTo(bytes, core::kArenaAlignment); }

  std::map<int64_t, int64_t> free_; // offset -> bytes
  int64_t size_ = 0;
};

struct Place {
  enum Kind { InArena, Result, Arg } kind = InArena;
  int64_t index = 0; // offset, result number or argument number
};

class Planner {
public:
  explicit Planner(func::FuncOp func) : func_(func) {}

  void run() {
    collectLives();
    decideResults();
    for (auto [time, op] : llvm::enumerate(func_.getBody().front().getOps<ir::FusedOp>()))
      placeResults(op, time);
    writeResults();
    Builder b(func_.getContext());
    func_->setAttr("burn.arena_bytes", b.getI64IntegerAttr(arena_.size()));
  }

private:
  void collectLives() {
    for (auto [time, op] : llvm::enumerate(func_.getBody().front().getOps<ir::FusedOp>()))
      for (Value operand : op.getInputs())
        lastUse_[bufferOf(operand)] = time;
  }

  // Each returned buffer is the function's result once; further results share it.
  void decideResults() {
    for (auto [i, value] : llvm::enumerate(func_.getBody().front().getTerminator()->getOperands()))
      resultOf_.try_emplace(bufferOf(value), i);
  }

  bool isDonated(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && func_.getArgAttr(argument.getArgNumber(), "burn.donated");
  }

  bool diesAt(Value buffer, size_t time) const {
    auto it = lastUse_.find(buffer);
    return it != lastUse_.end() && it->second == time;
  }

  // An operand whose memory `result` may take over.
  std::optional<Value> reusable(ir::FusedOp op, Value result, size_t time, bool fromArgument) {
    for (auto [i, operand] : llvm::enumerate(op.getInputs())) {
      Value buffer = bufferOf(operand);
      const bool fits =
          fromArgument ? isDonated(buffer) : places_.contains(buffer) && places_[buffer].kind == Place::InArena;
      if (!fits || taken_.contains(buffer) || resultOf_.contains(buffer) || !diesAt(buffer, time) ||
          byteSize(buffer) != byteSize(result) || elementBytes(buffer) != elementBytes(result) || byteSize(result) == 0)
        continue;
      // Another operand may be a reshape of the same buffer, read elsewhere.
      bool inPlace = true;
      for (auto [j, other] : llvm::enumerate(op.getInputs()))
        if (bufferOf(other) == buffer)
          inPlace &= isReadAtIdentityOnly(op, j, cast<RankedTensorType>(result.getType()).getShape());
      if (inPlace)
        return buffer;
    }
    return std::nullopt;
  }

  void placeResults(ir::FusedOp op, size_t time) {
    Builder b(op.getContext());
    SmallVector<Attribute> attributes;
    for (Value result : op.getResults()) {
      Place place;
      if (auto it = resultOf_.find(result); it != resultOf_.end()) {
        place = {Place::Result, int64_t(it->second)};
        if (auto buffer = reusable(op, result, time, /*fromArgument=*/true)) {
          taken_.insert(*buffer);
          place = {Place::Arg, int64_t(cast<BlockArgument>(*buffer).getArgNumber())};
        }
      } else if (auto buffer = reusable(op, result, time, /*fromArgument=*/false)) {
        taken_.insert(*buffer);
        place = places_[*buffer];
      } else {
        place = {Place::InArena, arena_.allocate(byteSize(result))};
      }
      places_[result] = place;
      const char *names[] = {"arena", "result", "arg"};
      attributes.push_back(b.getDictionaryAttr(b.getNamedAttr(names[place.kind], b.getI64IntegerAttr(place.index))));
    }
    op->setAttr("burn.place", b.getArrayAttr(attributes));
    // What dies here, or was never read, makes room for what follows.
    llvm::SmallPtrSet<Value, 8> released;
    const auto release = [&](Value buffer) {
      auto it = places_.find(buffer);
      if (it != places_.end() && it->second.kind == Place::InArena && !taken_.contains(buffer) &&
          released.insert(buffer).second)
        arena_.release(it->second.index, byteSize(buffer));
    };
    for (Value operand : op.getInputs())
      if (diesAt(bufferOf(operand), time))
        release(bufferOf(operand));
    for (Value result : op.getResults())
      if (!lastUse_.contains(result))
        release(result);
  }

  void writeResults() {
    Builder b(func_.getContext());
    SmallVector<Attribute> attributes;
    for (auto [i, value] : llvm::enumerate(func_.getBody().front().getTerminator()->getOperands())) {
      Value buffer = bufferOf(value);
      const auto entry = [&](StringRef name, int64_t index) {
        attributes.push_back(b.getDictionaryAttr(b.getNamedAttr(name, b.getI64IntegerAttr(index))));
      };
      if (auto argument = dyn_cast<BlockArgument>(buffer))
        entry("arg", argument.getArgNumber());
      else if (const size_t first = resultOf_[buffer]; first != i)
        entry("result", first);
      else if (const Place place = places_[buffer]; place.kind == Place::Arg)
        entry("donated", place.index);
      else
        attributes.push_back(b.getDictionaryAttr(b.getNamedAttr("fresh", b.getUnitAttr())));
    }
    func_->setAttr("burn.results", b.getArrayAttr(attributes));
  }

  func::FuncOp func_;
  Arena arena_;
  llvm::DenseMap<Value, size_t> lastUse_, resultOf_;
  llvm::DenseMap<Value, Place> places_;
  llvm::DenseSet<Value> taken_; // buffers that a later value has taken over
};

struct PlanMemory : compiler::impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    for (Operation &op : func.getBody().front().without_terminator())
      if (!isa<ir::FusedOp, ir::ReshapeOp, ir::ConstantOp>(op)) {
        op.emitOpError("stands outside of a burn.fused; run burn-fuse first");
        return signalPassFailure();
      }
    Planner(func).run();
  }
};

} // namespace
