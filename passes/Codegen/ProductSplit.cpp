#include "passes/Codegen/ProductSplit.h"

#include "passes/Codegen/ContractionOps.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace burn::compiler {
namespace {

constexpr StringLiteral kSlices = "slices";

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The position in the lists of contracted dims whose dim is cut: the longest, the first of several.
size_t cutPosition(ir::DotGeneralOp product) {
  const ArrayRef<int64_t> dims = product.getLhsContract(), shape = typeOf(product.getLhs()).getShape();
  size_t longest = 0;
  for (size_t i = 1; i < dims.size(); ++i)
    if (shape[dims[i]] > shape[dims[longest]])
      longest = i;
  return longest;
}

/// An operand whose dim `dim` is cut into slices, which are a dim in front of it.
struct CutOperand {
  Value value;
  SmallVector<int64_t> batch, contract;
};

CutOperand cut(OpBuilder &b, Location loc, Value input, int64_t dim, int64_t slices, ArrayRef<int64_t> batch,
               ArrayRef<int64_t> contract) {
  const RankedTensorType type = typeOf(input);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= slices;
  shape.insert(shape.begin() + dim, slices);
  const auto moved = [dim](int64_t other) { return other >= dim ? other + 1 : other; };
  CutOperand result;
  result.value = ir::ReshapeOp::create(b, loc, RankedTensorType::get(shape, type.getElementType()), input);
  result.batch.push_back(dim);
  for (int64_t other : batch)
    result.batch.push_back(moved(other));
  for (int64_t other : contract)
    result.contract.push_back(moved(other));
  return result;
}

/// The operand of the kernel that an operand of the product is.
Value inputOf(ir::FusedOp fused, Value operand) {
  return fused.getInputs()[cast<BlockArgument>(operand).getArgNumber()];
}

} // namespace

DictionaryAttr toAttribute(MLIRContext *context, const ProductSplit &split) {
  Builder b(context);
  return b.getDictionaryAttr(b.getNamedAttr(kSlices, b.getI64IntegerAttr(split.slices)));
}

std::optional<ProductSplit> readSplit(Attribute attribute) {
  auto entries = dyn_cast_or_null<DictionaryAttr>(attribute);
  auto slices = entries && entries.size() == 1 ? entries.getAs<IntegerAttr>(kSlices) : nullptr;
  if (!slices || slices.getInt() < 2)
    return std::nullopt;
  return ProductSplit{slices.getInt()};
}

bool isProductAlone(ir::FusedOp fused, Operation *op) {
  const auto yielded = fused.getBody().front().getTerminator()->getOperands();
  return yielded.size() == 1 && yielded.front() == op->getResult(0);
}

bool isSeparable(ir::FusedOp fused, Operation *op) {
  auto product = dyn_cast<ir::DotGeneralOp>(op);
  if (!product || !isa_and_present<func::FuncOp>(fused->getParentOp()))
    return false;
  const Type element = typeOf(product).getElementType();
  if (!element.isF32() && !element.isF64())
    return false;
  for (Value operand : product->getOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || typeOf(operand).getElementType() != element ||
        fused.getInputs()[argument.getArgNumber()].getDefiningOp<ir::ConstantOp>())
      return false;
  }
  const auto yielded = fused.getBody().front().getTerminator()->getOperands();
  if (!isProductAlone(fused, op) && llvm::is_contained(yielded, product.getResult()))
    return false;
  llvm::SmallPtrSet<Operation *, 8> behind = {op};
  for (Operation &other : fused.getBody().front().without_terminator()) {
    const bool follows =
        llvm::any_of(other.getOperands(), [&](Value value) { return behind.contains(value.getDefiningOp()); });
    if (!follows)
      continue;
    if (!isa<ir::ElementwiseOpInterface>(other) || llvm::any_of(other.getResults(), [&](Value value) {
          return typeOf(value).getShape() != typeOf(product).getShape();
        }))
      return false;
    behind.insert(&other);
  }
  return true;
}

bool canSplit(ir::DotGeneralOp product, const ProductSplit &split) {
  if (split.slices < 2 || product.getLhsContract().empty() ||
      typeOf(product).getRank() + 1 > static_cast<int64_t>(Shape::maxRank) ||
      typeOf(product.getLhs()).getRank() + 1 > static_cast<int64_t>(Shape::maxRank) ||
      typeOf(product.getRhs()).getRank() + 1 > static_cast<int64_t>(Shape::maxRank))
    return false;
  const int64_t size = typeOf(product.getLhs()).getShape()[product.getLhsContract()[cutPosition(product)]];
  return size > 0 && size % split.slices == 0;
}

ir::FusedOp buildBehindProduct(OpBuilder &b, ir::FusedOp fused, ir::DotGeneralOp product, Value source,
                               ir::ClusterKind kind, ValueRange inputs,
                               llvm::function_ref<Value(OpBuilder &, Value)> result) {
  Block &body = fused.getBody().front();
  SmallVector<Value> operands = {source};
  SmallVector<BlockArgument> read;
  for (BlockArgument argument : body.getArguments())
    if (llvm::any_of(argument.getUsers(), [&](Operation *user) { return user != product; })) {
      read.push_back(argument);
      operands.push_back(inputs[argument.getArgNumber()]);
    }
  auto made = ir::FusedOp::create(b, fused.getLoc(), fused.getResultTypes(), kind, operands);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&made.getBody());
  IRMapping mapping;
  Value first = block->addArgument(source.getType(), fused.getLoc());
  for (BlockArgument argument : read)
    mapping.map(argument, block->addArgument(argument.getType(), argument.getLoc()));
  mapping.map(product.getResult(), result(b, first));
  for (Operation &op : body)
    if (&op != product)
      b.clone(op, mapping);
  return made;
}

ir::DotGeneralOp splitProduct(ir::FusedOp fused, ir::DotGeneralOp product, const ProductSplit &split) {
  OpBuilder b(fused);
  const Location loc = product.getLoc();
  const size_t position = cutPosition(product);
  const CutOperand lhs = cut(b, loc, inputOf(fused, product.getLhs()), product.getLhsContract()[position], split.slices,
                             product.getLhsBatch(), product.getLhsContract()),
                   rhs = cut(b, loc, inputOf(fused, product.getRhs()), product.getRhsContract()[position], split.slices,
                             product.getRhsBatch(), product.getRhsContract());
  const RankedTensorType type = typeOf(product);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), split.slices);
  auto slices = ir::FusedOp::create(b, loc, TypeRange(RankedTensorType::get(shape, type.getElementType())),
                                    ir::ClusterKind::Contraction, {lhs.value, rhs.value});
  ir::DotGeneralOp inner;
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&slices.getBody());
    Value left = block->addArgument(lhs.value.getType(), loc), right = block->addArgument(rhs.value.getType(), loc);
    inner = ir::DotGeneralOp::create(b, loc, left, right, lhs.batch, rhs.batch, lhs.contract, rhs.contract);
    ir::YieldOp::create(b, loc, inner.getResult());
  }
  ir::FusedOp sums =
      buildBehindProduct(b, fused, product, slices.getResult(0), ir::ClusterKind::Row, fused.getInputs(),
                         [loc](OpBuilder &at, Value value) -> Value {
                           return ir::ReduceOp::create(at, loc, ir::ReduceKind::Sum, value, ArrayRef<int64_t>{0});
                         });
  sums->setAttr("domain", b.getDenseI64ArrayAttr(shape));
  sums->setAttr("reduce_dims", b.getDenseI64ArrayAttr({0}));
  fused.replaceAllUsesWith(sums.getResults());
  fused.erase();
  return inner;
}

SmallVector<ProductSplit> splitCandidates(ir::DotGeneralOp product, const ContractionTiling &usual,
                                          const CpuTargetInfo &target, size_t most) {
  // Sums that are written and read again cost little beside such long ones.
  constexpr int64_t shortest = 256, mostResults = 1 << 18;
  const Contraction whole = *contractionOf(product);
  const int64_t bytes = contractionKinds(product).sum.width / 8;
  SmallVector<ProductSplit> result;
  if (whole.outElements == 0 || whole.outElements > mostResults)
    return result;
  const ContractionMachine machine = machineOf(target);
  const double usualCycles = tilingCycles(whole, usual, bytes, machine);
  SmallVector<std::pair<double, int64_t>> ranked;
  for (int64_t slices : {2, 4, 8, 16}) {
    const int64_t steps = whole.count(LoopGroup::Contracted) / slices;
    if (steps < shortest || !canSplit(product, {slices}))
      continue;
    // As the product of slices has it: each of them is a batch.
    Contraction sliced = whole;
    ContractionLoop *longest = &sliced.contracted.front();
    for (ContractionLoop &loop : sliced.contracted)
      longest = loop.size > longest->size ? &loop : longest;
    if (longest->size % slices != 0)
      continue;
    longest->size /= slices;
    sliced.batch.insert(sliced.batch.begin(), {slices, longest->size * longest->rowStride,
                                               longest->size * longest->laneStride, whole.outElements, 0, 1});
    sliced.outElements *= slices;
    const double sums = 2.0 * static_cast<double>(slices * whole.outElements * bytes) / 16;
    const double cycles = sums + tilingCycles(sliced, chooseContractionTiling(sliced, bytes, target), bytes, machine);
    if (cycles < 1.1 * usualCycles)
      ranked.push_back({cycles, slices});
  }
  llvm::sort(ranked);
  for (const auto &[cycles, slices] : ranked)
    if (result.size() < most)
      result.push_back({slices});
  return result;
}

ir::FusedOp exposeProduct(ir::FusedOp fused, ir::DotGeneralOp &product) {
  OpBuilder b(fused);
  SmallVector<Type> types(fused.getResultTypes());
  types.push_back(product.getType());
  auto made = ir::FusedOp::create(b, fused.getLoc(), types, fused.getKind(), fused.getInputs());
  const auto place = std::distance(product->getBlock()->begin(), product->getIterator());
  IRMapping mapping;
  fused.getBody().cloneInto(&made.getBody(), mapping);
  product = cast<ir::DotGeneralOp>(*std::next(made.getBody().front().begin(), place));
  Operation *yield = made.getBody().front().getTerminator();
  yield->insertOperands(yield->getNumOperands(), product.getResult());
  fused.replaceAllUsesWith(made.getResults().drop_back());
  fused.erase();
  return made;
}

} // namespace burn::compiler
