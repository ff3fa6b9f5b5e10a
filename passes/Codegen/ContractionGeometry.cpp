#include "passes/Codegen/Contraction.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

namespace burn::compiler {
namespace {

int64_t elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// A loop while it is not yet known whether lhs or rhs gives the rows.
struct OpLoop {
  int64_t size;
  int64_t lhs = 0, rhs = 0, out = 0;
  int outDim = -1;
  int64_t outStep = 1;
};

ContractionLoop orient(const OpLoop &loop, bool lhsIsRows) {
  return {loop.size,   lhsIsRows ? loop.lhs : loop.rhs, lhsIsRows ? loop.rhs : loop.lhs, loop.out, loop.outDim,
          loop.outStep};
}

} // namespace

llvm::ArrayRef<ContractionLoop> Contraction::loops(LoopGroup group) const {
  switch (group) {
  case LoopGroup::Batch:
    return batch;
  case LoopGroup::Row:
    return rows;
  case LoopGroup::Lane:
    return lanes;
  case LoopGroup::Contracted:
    return contracted;
  }
  return {};
}

int64_t Contraction::count(LoopGroup group) const {
  int64_t product = 1;
  for (const ContractionLoop &loop : loops(group))
    product *= loop.size;
  return product;
}

Contraction makeDotContraction(const DotGeometry &geometry) {
  llvm::SmallVector<int64_t> lhsStrides = mlir::computeStrides(geometry.lhsShape);
  llvm::SmallVector<int64_t> rhsStrides = mlir::computeStrides(geometry.rhsShape);
  llvm::SmallVector<OpLoop> batch, lhsFree, rhsFree, contracted;
  int outDim = 0;
  for (auto [l, r] : llvm::zip(geometry.lhsBatch, geometry.rhsBatch))
    batch.push_back({geometry.lhsShape[l], lhsStrides[l], rhsStrides[r], 0, outDim++});
  for (auto [dim, size] : llvm::enumerate(geometry.lhsShape))
    if (!llvm::is_contained(geometry.lhsBatch, int64_t(dim)) && !llvm::is_contained(geometry.lhsContract, int64_t(dim)))
      lhsFree.push_back({size, lhsStrides[dim], 0, 0, outDim++});
  for (auto [dim, size] : llvm::enumerate(geometry.rhsShape))
    if (!llvm::is_contained(geometry.rhsBatch, int64_t(dim)) && !llvm::is_contained(geometry.rhsContract, int64_t(dim)))
      rhsFree.push_back({size, 0, rhsStrides[dim], 0, outDim++});
  for (auto [l, r] : llvm::zip(geometry.lhsContract, geometry.rhsContract))
    contracted.push_back({geometry.lhsShape[l], lhsStrides[l], rhsStrides[r]});

  int64_t stride = 1, rhsCount = 1;
  for (OpLoop &loop : llvm::reverse(rhsFree)) {
    loop.out = stride;
    stride *= loop.size;
    rhsCount *= loop.size;
  }
  for (OpLoop &loop : llvm::reverse(lhsFree)) {
    loop.out = stride;
    stride *= loop.size;
  }
  for (OpLoop &loop : llvm::reverse(batch)) {
    loop.out = stride;
    stride *= loop.size;
  }

  Contraction result;
  // Matrix times vector: the output is contiguous along the matrix rows.
  result.lhsIsRows = rhsCount != 1;
  auto convert = [&](llvm::ArrayRef<OpLoop> from, auto &to) {
    for (const OpLoop &loop : from)
      to.push_back(orient(loop, result.lhsIsRows));
  };
  convert(batch, result.batch);
  convert(result.lhsIsRows ? lhsFree : rhsFree, result.rows);
  convert(result.lhsIsRows ? rhsFree : lhsFree, result.lanes);
  convert(contracted, result.contracted);
  int64_t lhsElements = elementCount(geometry.lhsShape);
  int64_t rhsElements = elementCount(geometry.rhsShape);
  result.rowsElements = result.lhsIsRows ? lhsElements : rhsElements;
  result.lanesElements = result.lhsIsRows ? rhsElements : lhsElements;
  result.outElements = stride;
  return result;
}

Contraction makeConvContraction(const ConvGeometry &geometry) {
  llvm::SmallVector<int64_t> lhsStrides = mlir::computeStrides(geometry.lhsShape);
  llvm::SmallVector<int64_t> rhsStrides = mlir::computeStrides(geometry.rhsShape);
  llvm::SmallVector<int64_t> outStrides = mlir::computeStrides(geometry.outShape);
  size_t spatialRank = geometry.strides.size();
  int64_t lhsBatch = geometry.lhsDims[0], lhsFeature = geometry.lhsDims[1];
  int64_t rhsOut = geometry.rhsDims[0], rhsIn = geometry.rhsDims[1];
  int64_t outBatch = geometry.outDims[0], outFeature = geometry.outDims[1];
  int64_t groups = geometry.featureGroups * geometry.batchGroups;
  int64_t groupFeatures = geometry.outShape[outFeature] / groups;
  int64_t inFeatures = geometry.rhsShape[rhsIn];
  int64_t lhsElements = elementCount(geometry.lhsShape);

  // One loop per output dimension, in the output's memory order.
  llvm::SmallVector<OpLoop> byDim(geometry.outShape.size());
  byDim[outBatch] = {geometry.outShape[outBatch], lhsStrides[lhsBatch], 0, outStrides[outBatch], int(outBatch)};
  byDim[outFeature] = {groupFeatures, 0, rhsStrides[rhsOut], outStrides[outFeature], int(outFeature)};
  OpLoop group = {
      groups,       0, groupFeatures * rhsStrides[rhsOut], groupFeatures * outStrides[outFeature], int(outFeature),
      groupFeatures};
  group.lhs = geometry.featureGroups > 1 ? inFeatures * lhsStrides[lhsFeature]
                                         : geometry.outShape[outBatch] * lhsStrides[lhsBatch];
  llvm::SmallVector<OpLoop> contracted;
  contracted.push_back({inFeatures, lhsStrides[lhsFeature], rhsStrides[rhsIn]});

  struct Checked {
    WindowAxis axis;
    int64_t outDim;
    unsigned tap;
    int64_t outStep, tapStep;
  };
  llvm::SmallVector<Checked> checked;
  int64_t lhsBase = 0;
  for (size_t i = 0; i < spatialRank; ++i) {
    int64_t extent = geometry.lhsShape[geometry.lhsDims[2 + i]];
    int64_t lhsStride = lhsStrides[geometry.lhsDims[2 + i]];
    int64_t taps = geometry.rhsShape[geometry.rhsDims[2 + i]];
    int64_t outDim = geometry.outDims[2 + i];
    int64_t positions = geometry.outShape[outDim];
    int64_t step = geometry.strides[i], tapStep = geometry.rhsDilation[i];
    int64_t dilation = extent > 1 ? geometry.lhsDilation[i] : 1;
    int64_t offset = -geometry.padLow[i];
    int64_t last = offset + (positions - 1) * step + (taps - 1) * tapStep;
    OpLoop position = {positions, 0, 0, outStrides[outDim], int(outDim)};
    OpLoop tap = {taps, 0, rhsStrides[geometry.rhsDims[2 + i]]};
    if (dilation == 1 && offset >= 0 && last < extent) {
      // Every coordinate exists: the axis is two plain strides.
      position.lhs = step * lhsStride;
      tap.lhs = tapStep * lhsStride;
      lhsBase += offset * lhsStride;
    } else {
      checked.push_back(
          {{extent, lhsStride, dilation, offset, {}}, outDim, unsigned(contracted.size()), step, tapStep});
    }
    byDim[outDim] = position;
    contracted.push_back(tap);
  }
  // Nothing to read: every element of the window counts as zero.
  if (lhsElements == 0) {
    checked.clear();
    for (OpLoop &loop : contracted)
      loop.size = 0;
  }

  // Dimensions of size 1 have no say in what is contiguous.
  int64_t lastDim = -1;
  for (auto [dim, loop] : llvm::enumerate(byDim))
    if (loop.size > 1)
      lastDim = dim;
  bool featureLast = lastDim == outFeature || lastDim == -1;

  Contraction result;
  result.lhsIsRows = featureLast;
  result.rowsBase = featureLast ? lhsBase : 0;
  result.lanesBase = featureLast ? 0 : lhsBase;
  int64_t rhsElements = elementCount(geometry.rhsShape);
  result.rowsElements = featureLast ? lhsElements : rhsElements;
  result.lanesElements = featureLast ? rhsElements : lhsElements;
  result.outElements = elementCount(geometry.outShape);

  if (groups > 1)
    result.batch.push_back(orient(group, featureLast));
  for (const OpLoop &loop : contracted)
    result.contracted.push_back(orient(loop, featureLast));
  auto place = [&](int64_t dim) -> LoopGroup {
    if (dim == outFeature)
      return featureLast ? LoopGroup::Lane : LoopGroup::Row;
    if (featureLast)
      return LoopGroup::Row;
    return dim < outFeature ? LoopGroup::Batch : LoopGroup::Lane;
  };
  for (int64_t dim = 0; dim < int64_t(byDim.size()); ++dim) {
    LoopGroup where = place(dim);
    auto &loops = where == LoopGroup::Batch ? result.batch : where == LoopGroup::Row ? result.rows : result.lanes;
    for (Checked &check : checked)
      if (check.outDim == dim)
        check.axis.terms.push_back({where, unsigned(loops.size()), check.outStep});
    loops.push_back(orient(byDim[dim], featureLast));
  }
  for (Checked &check : checked) {
    check.axis.terms.push_back({LoopGroup::Contracted, check.tap, check.tapStep});
    result.window.push_back(std::move(check.axis));
  }
  return result;
}

} // namespace burn::compiler
