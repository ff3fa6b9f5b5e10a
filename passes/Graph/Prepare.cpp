#include "passes/Graph/Prepare.h"

#include "passes/Graph/Import.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// A derived value may have this many times the bytes of what it comes from: bytes that become floats do.
constexpr int64_t kMostGrowth = 4;
// So much is taken for padding, whatever a value comes from; and for all of them together.
constexpr int64_t kSmallBytes = 64 << 10, kSmallTotal = 1 << 20;

unsigned derivedCount(func::FuncOp func) {
  unsigned count = 0;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    count += func.getArgAttr(i, kDerivedAttr) != nullptr;
  return count;
}

} // namespace

int64_t compiler::tensorBytes(Type type) { return ir::toTypeDesc(type)->byteSize(); }

bool compiler::isPrepare(func::FuncOp func) { return func->hasAttr(kPreparesAttr); }

func::FuncOp compiler::prepareOf(func::FuncOp func) {
  for (auto other : func->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    if (auto symbol = other->getAttrOfType<FlatSymbolRefAttr>(kPreparesAttr);
        symbol && symbol.getValue() == func.getName())
      return other;
  return nullptr;
}

func::FuncOp compiler::makePrepare(func::FuncOp func) {
  if (func::FuncOp known = prepareOf(func))
    return known;
  OpBuilder b(func->getContext());
  const unsigned count = func.getNumArguments() - derivedCount(func);
  auto type = b.getFunctionType(func.getArgumentTypes().take_front(count), {});
  auto prepare = func::FuncOp::create(func.getLoc(), (func.getName() + "_prepare").str(), type);
  prepare.setPrivate();
  prepare->setAttr(kPreparesAttr, FlatSymbolRefAttr::get(func));
  for (unsigned i = 0; i < count; ++i)
    for (StringRef name : {StringRef(kFrozenAttr), StringRef(kScalarAttr)})
      if (Attribute mark = func.getArgAttr(i, name))
        prepare.setArgAttr(i, name, mark);
  b.setInsertionPointToStart(prepare.addEntryBlock());
  func::ReturnOp::create(b, func.getLoc());
  // Renames it where the name is taken.
  SymbolTable(func->getParentOp()).insert(prepare, std::next(func->getIterator()));
  return prepare;
}

Value compiler::addDerived(func::FuncOp func, func::FuncOp prepare, Value value) {
  Operation *end = prepare.getBody().front().getTerminator();
  end->insertOperands(end->getNumOperands(), value);
  OpBuilder b(func->getContext());
  prepare.setType(b.getFunctionType(prepare.getArgumentTypes(), end->getOperandTypes()));
  const unsigned number = func.getNumArguments();
  if (failed(func.insertArgument(number, value.getType(),
                                 b.getDictionaryAttr(b.getNamedAttr(kDerivedAttr, b.getUnitAttr())), value.getLoc())))
    return nullptr;
  return func.getArgument(number);
}

void compiler::dropUnusedDerived(func::FuncOp func) {
  func::FuncOp prepare = prepareOf(func);
  if (!prepare)
    return;
  Operation *end = prepare.getBody().front().getTerminator();
  const unsigned first = func.getNumArguments() - end->getNumOperands();
  for (unsigned i = end->getNumOperands(); i-- > 0;)
    if (func.getArgument(first + i).use_empty() && succeeded(func.eraseArgument(first + i)))
      end->eraseOperand(i);
  OpBuilder b(func->getContext());
  prepare.setType(b.getFunctionType(prepare.getArgumentTypes(), end->getOperandTypes()));
  eraseUnused(prepare, [](Operation *) { return true; });
  if (end->getNumOperands() == 0)
    prepare.erase();
}

void compiler::eraseUnused(func::FuncOp func, llvm::function_ref<bool(Operation *)> mayGo) {
  SmallVector<Operation *> ops;
  const std::function<void(Block &)> collect = [&](Block &block) {
    for (Operation &op : block.without_terminator()) {
      ops.push_back(&op);
      if (isa<ir::IfOp, ir::ForOp, ir::WhileOp>(op))
        for (Region &region : op.getRegions())
          collect(region.front());
    }
  };
  collect(func.getBody().front());
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && mayGo(op))
      op->erase();
}

SmallVector<unsigned> compiler::argumentsBelow(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  SmallVector<unsigned> arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    Value next = values[i];
    if (auto argument = dyn_cast<BlockArgument>(next))
      arguments.push_back(argument.getArgNumber());
    else
      values.insert(next.getDefiningOp()->operand_begin(), next.getDefiningOp()->operand_end());
  }
  llvm::sort(arguments);
  return arguments;
}

bool compiler::isData(Value value) {
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  if (!constant)
    return false;
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  return elements ? !elements.isSplat() : isa<DenseResourceElementsAttr>(constant.getValue());
}

DerivedBudget::DerivedBudget(int64_t sourceBytes) : left_(kSmallTotal + kMostGrowth * sourceBytes) {}

DerivedBudget DerivedBudget::ofFrozen(func::FuncOp func) {
  int64_t sources = 0, taken = 0;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    const int64_t bytes = tensorBytes(func.getArgumentTypes()[i]);
    if (func.getArgAttr(i, kFrozenAttr))
      sources += bytes;
    if (func.getArgAttr(i, kDerivedAttr))
      taken += bytes;
  }
  DerivedBudget budget(sources);
  budget.left_ -= taken;
  return budget;
}

DerivedBudget DerivedBudget::ofConstants(func::FuncOp func) {
  int64_t sources = 0;
  func.walk([&](ir::ConstantOp constant) {
    if (isData(constant))
      sources += tensorBytes(constant.getType());
  });
  return DerivedBudget(sources);
}

bool DerivedBudget::isModest(int64_t bytes, int64_t sourceBytes) {
  return bytes <= std::max(kSmallBytes, kMostGrowth * sourceBytes);
}

bool DerivedBudget::take(int64_t bytes, int64_t sourceBytes) {
  if (bytes > left_ || !isModest(bytes, sourceBytes))
    return false;
  left_ -= bytes;
  return true;
}
