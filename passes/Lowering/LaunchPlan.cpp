#include "passes/Lowering/LaunchPlan.h"

#include "passes/Graph/Import.h"
#include "passes/Graph/Prepare.h"
#include "passes/Graph/SavedBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

core::Plan compiler::makePlan(func::FuncOp func) {
  core::Plan plan;
  plan.savedBytes = static_cast<uint64_t>(savedBytes(func));
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    if (func.getArgAttr(i, kDerivedAttr)) {
      plan.derived.push_back({*ir::toTypeDesc(type), {}});
      continue;
    }
    core::PlanArg arg;
    arg.type = *ir::toTypeDesc(type);
    arg.donated = func.getArgAttr(i, "burn.donated") != nullptr;
    arg.frozen = func.getArgAttr(i, kFrozenAttr) != nullptr;
    if (auto name = func.getArgAttrOfType<StringAttr>(i, "burn.name"))
      arg.name = name.str();
    if (func.getArgAttr(i, "burn.scalar")) {
      arg.kind = core::ArgKind::Scalar;
      plan.scalarBytes = llvm::alignTo(plan.scalarBytes, byteWidth(arg.type.dtype));
      arg.offset = plan.scalarBytes;
      plan.scalarBytes += byteWidth(arg.type.dtype);
    }
    plan.args.push_back(std::move(arg));
  }
  if (func::FuncOp prepare = plan.derived.empty() ? nullptr : prepareOf(func))
    for (auto [derived, value] :
         llvm::zip_equal(plan.derived, prepare.getBody().front().getTerminator()->getOperands()))
      for (unsigned argument : argumentsBelow(value))
        derived.sources.push_back(argument);
  auto sources = func->getAttrOfType<ArrayAttr>("burn.results");
  for (auto [type, attribute] : llvm::zip_equal(func.getResultTypes(), sources)) {
    core::PlanResult result;
    result.type = *ir::toTypeDesc(type);
    const std::pair<StringRef, core::ResultSource> kinds[] = {{"donated", core::ResultSource::Donated},
                                                              {"arg", core::ResultSource::Arg},
                                                              {"result", core::ResultSource::Result}};
    for (auto [name, source] : kinds)
      if (auto index = cast<DictionaryAttr>(attribute).getAs<IntegerAttr>(name)) {
        result.source = source;
        result.index = static_cast<uint32_t>(index.getInt());
      }
    plan.results.push_back(result);
  }
  func.walk<WalkOrder::PreOrder>([&](ir::FusedOp fused) {
    core::PlanKernel kernel;
    kernel.name = "kernel_" + std::to_string(plan.kernels.size());
    kernel.kind = static_cast<core::ClusterKind>(fused.getKind());
    // What is packed for a product is not multiplied by the kernel that packs it.
    const bool packs = !fused.getBody().getOps<ir::PackPanelsOp>().empty();
    for (Operation &op : fused.getBody().front().without_terminator())
      if (!packs || isa<ir::PackPanelsOp>(op))
        kernel.ops.push_back(op.getName().stripDialect().str());
    llvm::SmallPtrSet<Value, 8> read;
    for (Value operand : fused.getInputs())
      if (read.insert(operand).second)
        kernel.bytesRead += ir::toTypeDesc(operand.getType())->byteSize();
    for (Value result : fused.getResults())
      kernel.bytesWritten += ir::toTypeDesc(result.getType())->byteSize();
    plan.kernels.push_back(std::move(kernel));
  });
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto kernel = dyn_cast<ir::CustomKernelOp>(op))
      plan.hostCalls.push_back({kernel.getKernel().str(), static_cast<int64_t>(kernel.getVersion()), {}, {}});
    else if (auto print = dyn_cast<ir::PrintOp>(op))
      plan.hostCalls.push_back({print.getLabel().str(), 0, {}, {}});
    else
      return;
    core::PlanHostCall &call = plan.hostCalls.back();
    for (Type type : op->getOperandTypes())
      call.operands.push_back(*ir::toTypeDesc(type));
    if (isa<ir::CustomKernelOp>(op))
      for (Type type : op->getResultTypes())
        call.results.push_back(*ir::toTypeDesc(type));
  });
  return plan;
}

namespace {
constexpr std::pair<StringLiteral, BufferRef::Kind> kKinds[] = {
    {"buffer", BufferRef::Buffer}, {"scalar", BufferRef::Scalar}, {"arena", BufferRef::Arena}};
} // namespace

Attribute compiler::toAttribute(Builder &b, const BufferRef &ref) {
  const auto entry = [&](StringRef name, Attribute value) { return b.getDictionaryAttr(b.getNamedAttr(name, value)); };
  if (ref.kind == BufferRef::Constant)
    return entry("constant", FlatSymbolRefAttr::get(b.getContext(), ref.symbol));
  if (ref.kind == BufferRef::Error)
    return entry("error", b.getUnitAttr());
  for (auto [name, kind] : kKinds)
    if (kind == ref.kind)
      return entry(name, b.getI64IntegerAttr(ref.index));
  return {};
}

BufferRef compiler::toBufferRef(Attribute attribute) {
  auto entry = cast<DictionaryAttr>(attribute);
  if (auto symbol = entry.getAs<FlatSymbolRefAttr>("constant"))
    return {BufferRef::Constant, 0, symbol.getValue()};
  for (auto [name, kind] : kKinds)
    if (auto index = entry.getAs<IntegerAttr>(name))
      return {kind, index.getInt(), {}};
  return {BufferRef::Error, 0, {}};
}
