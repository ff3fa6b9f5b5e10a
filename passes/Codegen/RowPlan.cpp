#include "passes/Codegen/RowPlan.h"

#include "passes/Codegen/Tuning.h"
#include "passes/Graph/Accesses.h"
#include "passes/Graph/TurnedReduction.h"

#include "llvm/Support/raw_ostream.h"

namespace burn::compiler {

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, const RowPlan &plan) {
  mlir::Builder b(context);
  return b.getDictionaryAttr({b.getNamedAttr("task_elements", b.getI64IntegerAttr(plan.taskElements)),
                              b.getNamedAttr("keeps", b.getBoolAttr(plan.keeps)),
                              b.getNamedAttr("prefetches", b.getBoolAttr(plan.prefetches))});
}

std::optional<RowPlan> readRowPlan(mlir::Attribute attribute) {
  auto entries = mlir::dyn_cast_or_null<mlir::DictionaryAttr>(attribute);
  if (!entries)
    return std::nullopt;
  auto elements = entries.getAs<mlir::IntegerAttr>("task_elements");
  auto keeps = entries.getAs<mlir::BoolAttr>("keeps"), prefetches = entries.getAs<mlir::BoolAttr>("prefetches");
  if (!elements || elements.getInt() < 1 || !keeps || !prefetches)
    return std::nullopt;
  return RowPlan{elements.getInt(), keeps.getValue(), prefetches.getValue()};
}

mlir::FailureOr<RowPlan> rowPlanFor(ir::FusedOp fused) {
  mlir::Attribute attribute = fused->getDiscardableAttr(rowPlanAttrName);
  if (!attribute)
    return RowPlan();
  if (std::optional<RowPlan> plan = readRowPlan(attribute))
    return *plan;
  return fused.emitOpError() << "has a malformed " << rowPlanAttrName
                             << ": expects a positive 'task_elements' and booleans 'keeps' and 'prefetches'";
}

std::string rowKey(ir::FusedOp fused) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "rows";
  for (llvm::StringRef name : {"domain", "reduce_dims"}) {
    out << ' ' << name << '[';
    auto dims = fused->getAttrOfType<mlir::DenseI64ArrayAttr>(name);
    for (auto [i, size] : llvm::enumerate(dims ? dims.asArrayRef() : llvm::ArrayRef<int64_t>()))
      out << (i ? "," : "") << (name == "domain" ? sizeBucket(size) : size);
    out << ']';
  }
  if (auto walk = fused->getAttrOfType<mlir::DenseI64ArrayAttr>(walkAttrName)) {
    out << " walk[";
    llvm::interleave(walk.asArrayRef(), out, ",");
    out << ']';
  }
  out << " ops[";
  for (mlir::Operation &op : fused.getBody().front().without_terminator()) {
    out << (&op == &fused.getBody().front().front() ? "" : ",") << op.getName().stripDialect();
    out << ':' << mlir::getElementTypeOrSelf(op.getResult(0).getType());
  }
  out << "] inputs[";
  for (auto [i, input] : llvm::enumerate(fused.getInputs())) {
    auto type = mlir::cast<mlir::RankedTensorType>(input.getType());
    out << (i ? "," : "") << sizeBucket(type.getNumElements()) << ':' << type.getElementType();
  }
  out << "] results " << fused.getNumResults() << " align 64";
  return text;
}

llvm::SmallVector<RowPlan> rowPlanCandidates(size_t most) {
  llvm::SmallVector<RowPlan> plans = {RowPlan()};
  for (int64_t elements : {16384, 65536, 4096})
    for (bool keeps : {true, false})
      for (bool prefetches : {true, false})
        if (RowPlan plan{elements, keeps, prefetches}; plan != RowPlan())
          plans.push_back(plan);
  if (most && plans.size() > most)
    plans.resize(most);
  return plans;
}

double rowCycles(ir::FusedOp fused) {
  double bytes = 0, cost = 0;
  for (mlir::Value value :
       llvm::concat<mlir::Value>(llvm::to_vector(fused.getInputs()), llvm::to_vector(fused.getResults())))
    bytes += double(ir::toTypeDesc(value.getType())->byteSize());
  for (mlir::Operation &op : fused.getBody().front().without_terminator())
    cost += payloadCost(&op) * double(mlir::cast<mlir::RankedTensorType>(op.getResult(0).getType()).getNumElements());
  // Bytes from memory, and vectors of eight elements with two operations a cycle.
  return std::max(bytes / 8, cost / 16);
}

} // namespace burn::compiler
