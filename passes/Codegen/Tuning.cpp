#include "passes/Codegen/Tuning.h"

#include "dialects/Burn/Burn.h"
#include "passes/Codegen/ContractionStreams.h"
#include "passes/Codegen/ContractionTuning.h"
#include "passes/Codegen/ProductSplit.h"
#include "passes/Graph/Accesses.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace burn::compiler {
namespace {

/// A stride as far as it matters: whether steps are neighbours, and whether each falls on another page or on the same
/// lines of a cache.
void writeStride(llvm::raw_ostream &out, int64_t stride, int64_t bytes) {
  if (stride == 0 || stride == 1)
    out << stride;
  else if (stride * bytes % 4096 == 0)
    out << 'p';
  else
    out << (stride * bytes >= 1024 ? 'f' : 'n');
}

void writeLoops(llvm::raw_ostream &out, StringRef name, ArrayRef<ContractionLoop> loops, int64_t bytes) {
  out << ' ' << name << '[';
  for (const ContractionLoop &loop : loops) {
    out << (&loop == loops.begin() ? "" : ",") << sizeBucket(loop.size) << ':';
    for (int64_t stride : {loop.rowStride, loop.laneStride, loop.outStride})
      writeStride(out, stride, bytes);
  }
  out << ']';
}

std::string typeName(const ir::ScalarKind &kind) {
  return (kind.isFloat() ? kind.isBF16 ? "bf" : "f" : kind.isSigned() ? "i" : "u") + std::to_string(kind.width);
}

/// Whether an input is data inside of the program that the kernel alone has to have as it is.
bool isConstant(Value input) {
  auto constant = input.getDefiningOp<ir::ConstantOp>();
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

} // namespace

std::string contractionKey(Operation *op, const Contraction &original, const ContractionKinds &kinds) {
  const Contraction c = mergeLoops(original);
  const int64_t bytes = kinds.sum.width / 8;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "contraction " << typeName(kinds.lhs) << ' ' << typeName(kinds.rhs) << ' ' << typeName(kinds.sum) << ' '
      << typeName(kinds.result) << (kinds.computes ? " computed" : "");
  writeLoops(out, "batch", c.batch, bytes);
  writeLoops(out, "rows", c.rows, bytes);
  writeLoops(out, "lanes", c.lanes, bytes);
  writeLoops(out, "steps", c.contracted, bytes);
  if (!c.window.empty()) {
    out << " window[";
    for (const WindowAxis &axis : c.window)
      out << (&axis == c.window.begin() ? "" : ",") << sizeBucket(axis.extent) << ':' << axis.dilation << ':'
          << (axis.offset < 0);
    out << "] of " << (c.lhsIsRows ? "rows" : "lanes");
  }
  auto fused = op->getParentOfType<ir::FusedOp>();
  int64_t cost = 0, inputs = 0;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (Operation &inner : *op->getBlock())
    cost += isReadConverted(&inner) ? 0 : payloadCost(&inner);
  if (fused)
    for (BlockArgument argument : fused.getBody().getArguments())
      inputs += argument.getType() == type && !llvm::is_contained(argument.getUsers(), op);
  out << " epilogue[" << sizeBucket(cost) << ':' << inputs << ':' << (fused ? fused.getNumResults() : 1)
      << "] align 64";
  return text;
}

std::string kernelProgram(ir::FusedOp fused, Operation *op, KernelEdit edit) {
  OpBuilder builder(fused.getContext());
  const Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  for (Value input : fused.getInputs())
    if (!isConstant(input))
      types.push_back(input.getType());
  auto func = func::FuncOp::create(builder, loc, "main", builder.getFunctionType(types, fused.getResultTypes()));
  Block *body = func.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  unsigned argument = 0;
  for (Value input : fused.getInputs())
    if (isConstant(input))
      builder.clone(*input.getDefiningOp(), mapping);
    else
      mapping.map(input, body->getArgument(argument++));
  auto copy = cast<ir::FusedOp>(builder.clone(*fused, mapping));
  Operation *place = copy;
  if (op != fused)
    place = &*std::next(copy.getBody().front().begin(), std::distance(op->getBlock()->begin(), op->getIterator()));
  auto end = func::ReturnOp::create(builder, loc, copy.getResults());
  edit(copy, place);
  // An edit may have added arguments and results.
  func.setFunctionType(builder.getFunctionType(body->getArgumentTypes(), end.getOperandTypes()));
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

ProductCheck productCheck(ir::FusedOp fused, ir::DotGeneralOp product,
                          std::function<void(ir::FusedOp, Operation *, StringRef)> apply) {
  ProductCheck check;
  check.words = ir::toAttrWords(product);
  check.lhsBatch.assign(product.getLhsBatch().begin(), product.getLhsBatch().end());
  check.rhsBatch.assign(product.getRhsBatch().begin(), product.getRhsBatch().end());
  check.lhsContract.assign(product.getLhsContract().begin(), product.getLhsContract().end());
  check.rhsContract.assign(product.getRhsContract().begin(), product.getRhsContract().end());
  // A value that is two inputs is one argument twice, whose positions count.
  const auto position = [&](Value operand) {
    const unsigned input = cast<BlockArgument>(operand).getArgNumber();
    return static_cast<unsigned>(llvm::count_if(fused.getInputs().take_front(input), std::not_fn(isConstant)));
  };
  check.lhs = position(product.getLhs());
  check.rhs = position(product.getRhs());
  const bool isAlone = isProductAlone(fused, product);
  check.exposed = [=](StringRef configuration) {
    return kernelProgram(fused, product, [&](ir::FusedOp copy, Operation *op) {
      if (!isAlone) {
        auto inner = cast<ir::DotGeneralOp>(op);
        Operation *end = copy->getBlock()->getTerminator();
        copy = exposeProduct(copy, inner);
        end->insertOperands(end->getNumOperands(), copy.getResults().back());
        op = inner;
      }
      apply(copy, op, configuration);
    });
  };
  if (!isAlone)
    check.epilogue = [=] {
      return kernelProgram(fused, product, [&](ir::FusedOp copy, Operation *op) {
        auto inner = cast<ir::DotGeneralOp>(op);
        OpBuilder builder(copy);
        Value given = copy->getBlock()->addArgument(inner.getType(), copy.getLoc());
        ir::FusedOp behind = buildBehindProduct(builder, copy, inner, given, ir::ClusterKind::Elementwise,
                                                copy.getInputs(), [](OpBuilder &, Value value) { return value; });
        copy.replaceAllUsesWith(behind.getResults());
        copy.erase();
      });
    };
  return check;
}

int64_t sizeBucket(int64_t size) {
  if (size <= 64)
    return size;
  const int64_t step = int64_t(1) << (llvm::Log2_64(size - 1) - 2);
  return llvm::divideCeil(size, step) * step;
}

} // namespace burn::compiler
