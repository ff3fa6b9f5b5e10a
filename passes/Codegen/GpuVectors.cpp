#include "passes/Codegen/GpuVectors.h"

#include "passes/Codegen/LinearIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

int64_t compiler::gpuVectorLanes(Type memoryType) {
  return std::clamp<int64_t>(128 / memoryType.getIntOrFloatBitWidth(), 2, 4);
}

namespace {

// The accesses to one vector, lane by lane.
struct Group {
  Block *block;
  LinearIndex vector; // its index
  SmallVector<SmallVector<Operation *, 1>> lanes;
};

class BufferAccess {
public:
  explicit BufferAccess(BlockArgument buffer)
      : buffer(buffer), type(cast<MemRefType>(buffer.getType())), width(gpuVectorLanes(type.getElementType())),
        vector(VectorType::get({width}, type.getElementType())) {}

  bool collect() {
    if (type.getNumElements() == 0 || type.getNumElements() % width != 0 || buffer.use_empty())
      return false;
    Operation *first = *buffer.user_begin();
    isLoaded = isa<memref::LoadOp>(first);
    for (Operation *user : buffer.getUsers())
      if (!add(user))
        return false;
    return llvm::all_of(groups, [&](const Group &group) { return isWhole(group); });
  }

  void rewrite() {
    buffer.setType(MemRefType::get({type.getNumElements() / width}, vector));
    for (const Group &group : groups)
      isLoaded ? load(group) : store(group);
  }

private:
  bool add(Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    if (isLoaded ? !load : !store || store.getMemRef() != buffer)
      return false;
    LinearIndex index((load ? load.getIndices() : store.getIndices())[0]);
    const int64_t lane = llvm::mod(index.constant, width);
    index.constant = (index.constant - lane) / width;
    for (auto &[value, factor] : index.terms) {
      if (factor % width != 0)
        return false;
      factor /= width;
    }
    auto known = llvm::find_if(
        groups, [&](const Group &group) { return group.block == op->getBlock() && isSame(group.vector, index); });
    if (known == groups.end()) {
      groups.push_back({op->getBlock(), index, SmallVector<SmallVector<Operation *, 1>>(width)});
      known = std::prev(groups.end());
    }
    known->lanes[lane].push_back(op);
    return true;
  }

  static bool isSame(const LinearIndex &x, const LinearIndex &y) {
    return x.constant == y.constant && x.terms.size() == y.terms.size() &&
           llvm::all_of(x.terms, [&](const auto &term) { return y.terms.lookup(term.first) == term.second; });
  }

  bool isWhole(const Group &group) const {
    return llvm::all_of(group.lanes, [&](const auto &ops) { return isLoaded ? !ops.empty() : ops.size() == 1; });
  }

  static Operation *extreme(const Group &group, bool last) {
    Operation *found = group.lanes[0][0];
    for (const auto &ops : group.lanes)
      for (Operation *op : ops)
        if (found->isBeforeInBlock(op) == last)
          found = op;
    return found;
  }

  static Value emitIndex(ImplicitLocOpBuilder &b, const LinearIndex &index) {
    Value sum;
    const auto add = [&](Value value) { sum = sum ? b.createOrFold<arith::AddIOp>(sum, value) : value; };
    for (const auto &[value, factor] : index.terms)
      add(factor == 1 ? value : b.createOrFold<arith::MulIOp>(value, arith::ConstantIndexOp::create(b, factor)));
    if (index.constant != 0 || !sum)
      add(arith::ConstantIndexOp::create(b, index.constant));
    return sum;
  }

  void load(const Group &group) {
    Operation *first = extreme(group, /*last=*/false);
    ImplicitLocOpBuilder b(first->getLoc(), first);
    Value whole = memref::LoadOp::create(b, buffer, emitIndex(b, group.vector));
    for (auto [lane, ops] : llvm::enumerate(group.lanes)) {
      Value element = vector::ExtractOp::create(b, whole, int64_t(lane));
      for (Operation *op : ops)
        op->getResult(0).replaceAllUsesWith(element);
    }
    erase(group);
  }

  void store(const Group &group) {
    Operation *last = extreme(group, /*last=*/true);
    ImplicitLocOpBuilder b(last->getLoc(), last);
    SmallVector<Value> elements;
    for (const auto &ops : group.lanes)
      elements.push_back(cast<memref::StoreOp>(ops[0]).getValueToStore());
    Value whole = vector::FromElementsOp::create(b, vector, elements);
    memref::StoreOp::create(b, whole, buffer, emitIndex(b, group.vector));
    erase(group);
  }

  static void erase(const Group &group) {
    for (const auto &ops : group.lanes)
      for (Operation *op : ops)
        op->erase();
  }

  BlockArgument buffer;
  MemRefType type;
  int64_t width;
  VectorType vector;
  bool isLoaded = false;
  SmallVector<Group> groups;
};

} // namespace

void compiler::accessByVectors(func::FuncOp func) {
  for (BlockArgument argument : func.getArguments()) {
    if (!isa<MemRefType>(argument.getType()))
      continue;
    BufferAccess access(argument);
    if (access.collect())
      access.rewrite();
  }
  func.setFunctionType(FunctionType::get(func.getContext(), func.getBody().getArgumentTypes(), {}));
}
