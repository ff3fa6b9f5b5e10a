#include "passes/Codegen/VendorProduct.h"

#include "passes/Codegen/ContractionOps.h"
#include "passes/Codegen/ContractionStreams.h"
#include "passes/Codegen/ProductSplit.h"
#include "runtime/Core/OneDnn.h"

using namespace mlir;

namespace burn::compiler {
namespace {

constexpr StringLiteral kOneDnn = "onednn", kTasks = "tasks";

/// Adds one matrix: rows of `pitch` elements that hold `inner` neighbours. False where neither loop has neighbours.
bool readMatrix(int64_t outer, int64_t outerStride, int64_t inner, int64_t innerStride, int64_t &transposes,
                int64_t &pitch) {
  if (innerStride == 1 && (outerStride >= inner || outer == 1)) {
    transposes = 0;
    pitch = outer == 1 ? inner : outerStride;
    return true;
  }
  if (outerStride == 1 && (innerStride >= outer || inner == 1)) {
    transposes = 1;
    pitch = inner == 1 ? outer : innerStride;
    return true;
  }
  return false;
}

/// The product as oneDNN takes it, but for its tasks.
std::optional<core::OneDnnProduct> describe(const Contraction &original) {
  const Contraction c = mergeLoops(original);
  // Loops of one step may be gone.
  if (c.batch.size() > 1 || c.rows.size() > 1 || c.lanes.size() > 1 || c.contracted.size() != 1 || c.rowsBase ||
      c.lanesBase || c.outElements == 0)
    return std::nullopt;
  const auto loopOf = [](ArrayRef<ContractionLoop> loops) { return loops.empty() ? ContractionLoop() : loops.front(); };
  const ContractionLoop batch = loopOf(c.batch), rows = loopOf(c.rows), lanes = loopOf(c.lanes),
                        steps = c.contracted.front();
  core::OneDnnProduct p;
  p.batch = batch.size;
  p.rows = rows.size;
  p.lanes = lanes.size;
  p.steps = steps.size;
  p.strideA = batch.rowStride;
  p.strideB = batch.laneStride;
  p.strideC = batch.outStride;
  p.pitchC = rows.size == 1 ? lanes.size : rows.outStride;
  if (p.steps < 1 || p.pitchC < p.lanes || (lanes.size > 1 && lanes.outStride != 1) ||
      !readMatrix(rows.size, rows.rowStride, steps.size, steps.rowStride, p.transposesA, p.pitchA) ||
      !readMatrix(steps.size, steps.laneStride, lanes.size, lanes.laneStride, p.transposesB, p.pitchB))
    return std::nullopt;
  return p;
}

} // namespace

DictionaryAttr toAttribute(MLIRContext *context, const VendorProduct &vendor) {
  Builder b(context);
  return b.getDictionaryAttr({b.getNamedAttr(kOneDnn, b.getI64IntegerAttr(vendor.version)),
                              b.getNamedAttr(kTasks, b.getI64IntegerAttr(vendor.tasks))});
}

std::optional<VendorProduct> readVendor(Attribute attribute) {
  auto entries = dyn_cast_or_null<DictionaryAttr>(attribute);
  auto version = entries ? entries.getAs<IntegerAttr>(kOneDnn) : nullptr;
  auto tasks = entries ? entries.getAs<IntegerAttr>(kTasks) : nullptr;
  if (!version || !tasks || entries.size() != 2 || tasks.getInt() < 1)
    return std::nullopt;
  return VendorProduct{version.getInt(), tasks.getInt()};
}

bool hasVendorProduct(ir::DotGeneralOp product) {
  return product.getType().getElementType().isF32() && describe(*contractionOf(product));
}

void callVendor(ir::FusedOp fused, ir::DotGeneralOp product, const VendorProduct &vendor) {
  const Contraction contraction = *contractionOf(product);
  core::OneDnnProduct described = *describe(contraction);
  described.tasks = vendor.tasks;
  const auto input = [&](bool lhs) {
    return fused.getInputs()[cast<BlockArgument>(lhs ? product.getLhs() : product.getRhs()).getArgNumber()];
  };
  OpBuilder b(fused);
  auto call = ir::CustomKernelOp::create(b, product.getLoc(), TypeRange(product.getType()), described.kernel(),
                                         static_cast<uint64_t>(vendor.version),
                                         ValueRange{input(contraction.lhsIsRows), input(!contraction.lhsIsRows)});
  if (isProductAlone(fused, product)) {
    fused.replaceAllUsesWith(call.getResults());
    fused.erase();
    return;
  }
  ir::FusedOp behind = buildBehindProduct(b, fused, product, call.getResult(0), ir::ClusterKind::Elementwise,
                                          fused.getInputs(), [](OpBuilder &, Value value) { return value; });
  fused.replaceAllUsesWith(behind.getResults());
  fused.erase();
}

} // namespace burn::compiler
