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

// Offsets in one block of memory; freed ranges are joined and handed out again, smallest fit first.
class Arena {
public:
  // Beyond this nothing has a place any more, and offsets mean nothing. No sum below overflows.
  static constexpr int64_t kMostBytes = int64_t(1) << 61;

  explicit Arena(int64_t alignment) : alignment_(alignment) {}

  int64_t allocate(int64_t bytes) {
    isExceeded_ |= bytes > kMostBytes || size_ > kMostBytes;
    if (isExceeded_)
      return 0;
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
    if (isExceeded_ || bytes == 0)
      return;
    bytes = rounded(bytes);
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
  bool isExceeded() const { return isExceeded_ || size_ > kMostBytes; }

private:
  int64_t rounded(int64_t bytes) const { return llvm::alignTo(bytes, alignment_); }

  int64_t alignment_;
  std::map<int64_t, int64_t> free_; // offset -> bytes
  int64_t size_ = 0;
  bool isExceeded_ = false;
};

struct Place {
  enum Kind { InArena, Result, Arg } kind = InArena;
  int64_t index = 0; // offset, result number or argument number
};

// Entries of the launch plan: kernels, control flow, host kernels, all of which have regions; and what only reads.
bool isEntry(Operation &op) { return isa<ir::RegionOpInterface, ir::AssertOp, ir::PrintOp>(op); }

constexpr size_t kForever = SIZE_MAX;

class Planner {
public:
  Planner(func::FuncOp func, int64_t alignment) : func_(func), arena_(alignment) {}

  LogicalResult run() {
    // Each returned buffer is the function's result once; further results share it.
    for (auto [i, value] : llvm::enumerate(func_.getBody().front().getTerminator()->getOperands()))
      targets_.try_emplace(bufferOf(value), Target{{Place::Result, int64_t(i)}, {}});
    planBlock(func_.getBody().front());
    if (arena_.isExceeded())
      return func_.emitOpError("needs more than ") << Arena::kMostBytes << " bytes of memory between its kernels";
    writeResults();
    Builder b(func_.getContext());
    func_->setAttr("burn.arena_bytes", b.getI64IntegerAttr(arena_.size()));
    return success();
  }

private:
  // Where a value that leaves its block is wanted. The memory of a carried value is free once the region argument
  // that stands for it, `guard`, is not read any more.
  struct Target {
    Place place;
    Value guard;
  };

  // Places the values of a block. Memory that it took and that is still in use at its end is released then.
  void planBlock(Block &block) {
    std::map<int64_t, int64_t> held;
    std::map<int64_t, int64_t> *outer = std::exchange(held_, &held);
    // What runs at one time: an entry, or kernels that joined.
    SmallVector<SmallVector<Operation *, 1>> times;
    for (Operation &op : block.without_terminator()) {
      if (!isEntry(op))
        continue;
      if (times.empty() || !op.hasAttr(kJoinsAttr))
        times.emplace_back();
      times.back().push_back(&op);
    }
    for (auto [time, entries] : llvm::enumerate(times))
      for (Operation *op : entries)
        for (Value operand : op->getOperands())
          lastUse_[bufferOf(operand)] = time;
    for (Value value : block.getTerminator()->getOperands())
      lastUse_[bufferOf(value)] = kForever;
    for (auto [time, entries] : llvm::enumerate(times)) {
      for (Operation *op : entries) {
        together_ = entries;
        if (isa<ir::RegionOpInterface>(op))
          placeResults(op, time);
        if (isa<ir::IfOp, ir::ForOp, ir::WhileOp>(op))
          planRegions(op);
      }
      for (Operation *op : entries)
        releaseDead(op, time);
    }
    for (auto [offset, bytes] : held)
      arena_.release(offset, bytes);
    held_ = outer;
  }

  int64_t allocate(int64_t bytes) {
    const int64_t offset = arena_.allocate(bytes);
    if (bytes > 0)
      (*held_)[offset] = bytes;
    return offset;
  }

  void release(int64_t offset, int64_t bytes) {
    if (held_->erase(offset))
      arena_.release(offset, bytes);
  }

  //===-- Regions -----------------------------------------------------------------------------===//

  void planRegions(Operation *op) {
    if (auto branch = dyn_cast<ir::IfOp>(op)) {
      for (Region &region : op->getRegions()) {
        aim(region.front(), op, std::nullopt);
        planBlock(region.front());
      }
      return;
    }
    Builder b(op->getContext());
    int64_t index = 0, indexBytes = 0;
    unsigned firstCarried = 0;
    if (auto loop = dyn_cast<ir::ForOp>(op)) {
      indexBytes = byteSize(loop.getLower());
      index = allocate(indexBytes);
      firstCarried = 1;
      op->setAttr("burn.index", b.getI64IntegerAttr(index));
    } else {
      planBlock(cast<ir::WhileOp>(op).getCond().front());
    }
    Block &body = op->getRegion(op->getNumRegions() - 1).front();
    aim(body, op, firstCarried);
    // A carried value that becomes another one at the end of an iteration is set aside first.
    SmallVector<int64_t> asides;
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      auto argument = dyn_cast<BlockArgument>(bufferOf(value));
      const bool carried = argument && argument.getArgNumber() >= firstCarried &&
                           argument.getArgNumber() < firstCarried + op->getNumResults();
      const bool moves = carried && argument.getArgNumber() != firstCarried + i;
      asides.push_back(moves ? allocate(byteSize(value)) : -1);
    }
    op->setAttr("burn.aside", b.getDenseI64ArrayAttr(asides));
    planBlock(body);
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
      if (asides[i] >= 0)
        release(asides[i], byteSize(value));
    if (indexBytes)
      release(index, indexBytes);
  }

  // Values that a region yields are best computed where the op's result lies.
  void aim(Block &block, Operation *op, std::optional<unsigned> firstCarried) {
    for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
      Value guard = firstCarried ? Value(block.getArgument(*firstCarried + i)) : Value();
      targets_.try_emplace(bufferOf(value), Target{places_[op->getResult(i)], guard});
    }
  }

  //===-- Results -----------------------------------------------------------------------------===//

  bool isDonated(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &func_.getBody().front() &&
           func_.getArgAttr(argument.getArgNumber(), "burn.donated");
  }

  bool diesAt(Value buffer, size_t time) const {
    auto it = lastUse_.find(buffer);
    return it != lastUse_.end() && it->second == time;
  }

  // Whether `result` may overwrite `buffer`, an operand of the op: a kernel must read it at the identity index only,
  // a loop as the initial value of that result only, and no kernel that runs at the same time at all.
  bool isReplaceable(Operation *op, Value buffer, Value result) {
    if (byteSize(buffer) != byteSize(result) || elementBytes(buffer) != elementBytes(result))
      return false;
    for (Operation *other : together_)
      if (other != op && llvm::any_of(other->getOperands(), [&](Value value) { return bufferOf(value) == buffer; }))
        return false;
    auto fused = dyn_cast<ir::FusedOp>(op);
    const unsigned number = cast<OpResult>(result).getResultNumber();
    for (OpOperand &operand : op->getOpOperands()) {
      if (bufferOf(operand.get()) != buffer)
        continue;
      // Another operand may be a reshape of the same buffer, read elsewhere.
      if (fused ? !isReadAtIdentityOnly(fused, operand.getOperandNumber(),
                                        cast<RankedTensorType>(result.getType()).getShape())
                : !initialises(op, operand, number))
        return false;
    }
    return true;
  }

  static bool initialises(Operation *op, OpOperand &operand, unsigned result) {
    if (isa<ir::WhileOp>(op))
      return operand.getOperandNumber() == result;
    return isa<ir::ForOp>(op) && operand.getOperandNumber() == 3 + result;
  }

  // An operand whose memory `result` may take over.
  std::optional<Value> reusable(Operation *op, Value result, size_t time, bool fromArgument) {
    for (Value operand : op->getOperands()) {
      Value buffer = bufferOf(operand);
      const bool fits =
          fromArgument ? isDonated(buffer) : places_.contains(buffer) && places_[buffer].kind == Place::InArena;
      if (fits && !taken_.contains(buffer) && diesAt(buffer, time) && byteSize(result) != 0 &&
          isReplaceable(op, buffer, result))
        return buffer;
    }
    return std::nullopt;
  }

  // Whether the memory of the carried value is free for `result`.
  bool isFree(Value guard, Operation *op, Value result, size_t time) {
    auto it = lastUse_.find(guard);
    if (it == lastUse_.end() || it->second < time)
      return true;
    return it->second == time && isReplaceable(op, guard, result);
  }

  Place choose(Operation *op, Value result, size_t time) {
    if (auto it = targets_.find(result); it != targets_.end()) {
      const Target target = it->second;
      if (target.place.kind == Place::Result && !target.guard)
        if (auto buffer = reusable(op, result, time, /*fromArgument=*/true)) {
          taken_.insert(*buffer);
          return {Place::Arg, int64_t(cast<BlockArgument>(*buffer).getArgNumber())};
        }
      if (!target.guard || isFree(target.guard, op, result, time))
        return target.place;
    }
    if (auto buffer = reusable(op, result, time, /*fromArgument=*/false)) {
      taken_.insert(*buffer);
      return places_[*buffer];
    }
    return {Place::InArena, allocate(byteSize(result))};
  }

  void placeResults(Operation *op, size_t time) {
    Builder b(op->getContext());
    SmallVector<Attribute> attributes;
    for (Value result : op->getResults()) {
      const Place place = choose(op, result, time);
      places_[result] = place;
      const char *names[] = {"arena", "result", "arg"};
      attributes.push_back(b.getDictionaryAttr(b.getNamedAttr(names[place.kind], b.getI64IntegerAttr(place.index))));
    }
    op->setAttr("burn.place", b.getArrayAttr(attributes));
  }

  // What dies here, or was never read, makes room for what follows.
  void releaseDead(Operation *op, size_t time) {
    const auto releaseBuffer = [&](Value buffer) {
      auto it = places_.find(buffer);
      if (it != places_.end() && it->second.kind == Place::InArena && !taken_.contains(buffer))
        release(it->second.index, byteSize(buffer));
    };
    for (Value operand : op->getOperands())
      if (diesAt(bufferOf(operand), time))
        releaseBuffer(bufferOf(operand));
    for (Value result : op->getResults())
      if (!lastUse_.contains(result))
        releaseBuffer(result);
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
      else if (const int64_t first = targets_[buffer].place.index; first != int64_t(i))
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
  // Of buffers (bufferOf). Times count the entries of the block that a buffer belongs to.
  llvm::DenseMap<Value, size_t> lastUse_;
  llvm::DenseMap<Value, Target> targets_;
  llvm::DenseMap<Value, Place> places_;
  llvm::DenseSet<Value> taken_;                // buffers that a later value has taken over
  std::map<int64_t, int64_t> *held_ = nullptr; // the block's part of the arena: offset -> bytes
  ArrayRef<Operation *> together_;             // what runs at the time being planned
};

struct PlanMemory : compiler::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    for (Operation &op : func.getBody().front().without_terminator())
      if (!isa<ir::FusedOp, ir::ReshapeOp, ir::ConstantOp>(op) && !standsAlone(&op)) {
        op.emitOpError("stands outside of a burn.fused; run burn-fuse first");
        return signalPassFailure();
      }
    if (alignment <= 0 || alignment % int64_t(core::kArenaAlignment) != 0) {
      func.emitOpError("expects an alignment that is a multiple of ")
          << core::kArenaAlignment << ", got " << alignment.getValue();
      return signalPassFailure();
    }
    // What kernels of the host compute was said for the interpreter and for derivatives. Code calls the kernels.
    func.walk([](ir::CustomKernelOp kernel) {
      kernel.getDecomposition().dropAllReferences();
      kernel.getDecomposition().getBlocks().clear();
    });
    if (failed(Planner(func, alignment).run()))
      signalPassFailure();
  }
};

} // namespace
