#include "passes/Graph/SplitDilated.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <numeric>

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

using DimVector = SmallVector<int64_t>;

// Smaller ones are done before so many kernels are launched.
constexpr int64_t kFewestProducts = 1 << 16;
// Each is a kernel to compile.
constexpr int64_t kMostParts = 16;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

class Splitter {
public:
  explicit Splitter(ir::ConvOp conv)
      : b(conv.getLoc(), conv), conv(conv), lhs(typeOf(conv.getLhs()).getShape()),
        rhs(typeOf(conv.getRhs()).getShape()), out(typeOf(conv.getResult()).getShape()),
        element(typeOf(conv.getResult()).getElementType()) {
    for (size_t i = 0; i < conv.getStrides().size(); ++i)
      dilations.push_back(lhs[conv.getLhsDims()[2 + i]] > 1 ? conv.getLhsDilation()[i] : 1);
  }

  bool isWorthIt() {
    int64_t parts = 1, products = ShapedType::getNumElements(out);
    if (ShapedType::getNumElements(lhs) == 0 || ShapedType::getNumElements(rhs) == 0 || products == 0)
      return false;
    for (auto [i, dilation] : llvm::enumerate(dilations)) {
      if (dilation > kMostParts)
        return false;
      parts *= dilation;
      if (dilation > 1 && (conv.getStrides()[i] != 1 || conv.getRhsDilation()[i] != 1))
        return false; // each residue meets taps in a pattern of its own
    }
    products *= ShapedType::getNumElements(rhs) / rhs[conv.getRhsDims()[0]];
    return parts > 1 && parts <= kMostParts && products >= kFewestProducts;
  }

  /// Adds 0 to the result, whose gaps have been multiplied: sums of -0 then end as they do where gaps are added at the
  /// end.
  void addGaps() {
    if (!isa<FloatType>(element) || llvm::all_of(dilations, [](int64_t dilation) { return dilation == 1; }))
      return;
    b.setInsertionPointAfter(conv);
    Value sum = ir::AddOp::create(b, conv.getResult(), zeros(typeOf(conv.getResult())));
    conv.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
  }

  /// The result over residues: of dimensions before `dim` they stand in `residues`.
  Value interleaved(size_t dim, DimVector &residues) {
    if (dim == dilations.size())
      return part(residues);
    SmallVector<Value> parts;
    for (int64_t residue = 0; residue < dilations[dim]; ++residue) {
      residues.push_back(residue);
      parts.push_back(interleaved(dim + 1, residues));
      residues.pop_back();
    }
    if (parts.size() == 1)
      return parts[0];
    // [before, places, after] each; one behind the other at each place.
    DimVector shape(typeOf(parts[0]).getShape());
    const int64_t at = conv.getOutDims()[2 + dim];
    const int64_t before = std::accumulate(shape.begin(), shape.begin() + at + 1, int64_t(1), std::multiplies<>()),
                  after = std::accumulate(shape.begin() + at + 1, shape.end(), int64_t(1), std::multiplies<>());
    for (Value &each : parts)
      each = reshape(each, {before, 1, after});
    shape[at] *= dilations[dim];
    Value joined = reshape(ir::ConcatOp::create(b, parts, 1), shape);
    if (shape[at] == out[at])
      return joined;
    shape[at] = out[at]; // the last places of some residues are beyond the end
    return ir::SliceOp::create(b, joined, DimVector(shape.size(), 0), shape, DimVector(shape.size(), 1));
  }

private:
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return ir::ReshapeOp::create(b, RankedTensorType::get(shape, typeOf(value).getElementType()), value);
  }

  Value zeros(RankedTensorType type) {
    return ir::ConstantOp::create(b, type, DenseElementsAttr::get(type, Attribute(b.getZeroAttr(element))));
  }

  /// The elements of the result whose coordinates have these residues.
  Value part(ArrayRef<int64_t> residues) {
    DimVector starts(rhs.size(), 0), sizes(rhs), steps(rhs.size(), 1), low, high, places(out);
    for (auto [i, dilation] : llvm::enumerate(dilations)) {
      const int64_t dim = conv.getRhsDims()[2 + i], extent = lhs[conv.getLhsDims()[2 + i]],
                    outDim = conv.getOutDims()[2 + i];
      if (dilation == 1) {
        low.push_back(conv.getPadLow()[i]);
        high.push_back(conv.getPadHigh()[i]);
        continue;
      }
      // Tap k of place q meets the element (q dilation + residue + k - low) / dilation where that is whole.
      const int64_t padLow = conv.getPadLow()[i];
      const int64_t first = ((padLow - residues[i]) % dilation + dilation) % dilation;
      starts[dim] = first;
      steps[dim] = dilation;
      sizes[dim] = std::max<int64_t>(0, (rhs[dim] - first + dilation - 1) / dilation);
      places[outDim] = (out[outDim] + dilation - 1) / dilation;
      low.push_back(-((residues[i] + first - padLow) / dilation));
      high.push_back(places[outDim] - extent - low.back() + sizes[dim] - 1);
    }
    const auto type = RankedTensorType::get(places, element);
    Value result;
    if (llvm::is_contained(sizes, 0)) {
      result = zeros(type); // all taps meet gaps
    } else {
      Value kernel = ir::SliceOp::create(b, conv.getRhs(), starts, sizes, steps);
      DimVector none;
      for (auto [i, dilation] : llvm::enumerate(dilations))
        none.push_back(dilation > 1 ? 1 : conv.getLhsDilation()[i]);
      result = ir::ConvOp::create(b, conv.getLhs(), kernel, conv.getLhsDims(), conv.getRhsDims(), conv.getOutDims(),
                                  conv.getStrides(), low, high, none, conv.getRhsDilation(), conv.getFeatureGroups(),
                                  conv.getBatchGroups(), conv.getFastMath());
    }
    if (!isa<FloatType>(element))
      return result;
    return ir::AddOp::create(b, result, ofGaps(starts, sizes, steps, type));
  }

  /// What gaps add: 0 for each tap that meets one, NaN where that tap is infinite or NaN.
  Value ofGaps(ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps, RankedTensorType type) {
    const auto kernelType = RankedTensorType::get(rhs, element);
    const int64_t outFeature = conv.getRhsDims()[0];
    // The taps that meet elements, along each spatial dimension; ones elsewhere.
    DimVector maskShape(rhs);
    maskShape[outFeature] = maskShape[conv.getRhsDims()[1]] = 1;
    SmallVector<bool> meetsGap;
    for (int64_t i = 0, count = ShapedType::getNumElements(maskShape); i < count; ++i) {
      int64_t rest = i;
      bool isElement = true;
      for (int64_t dim = static_cast<int64_t>(rhs.size()) - 1; dim >= 0; --dim) {
        const int64_t at = rest % maskShape[dim];
        rest /= maskShape[dim];
        isElement &= steps[dim] == 1 || (at >= starts[dim] && (at - starts[dim]) % steps[dim] == 0);
      }
      meetsGap.push_back(!isElement);
    }
    const auto maskType = RankedTensorType::get(maskShape, b.getI1Type());
    Value mask = ir::ConstantOp::create(b, maskType, DenseElementsAttr::get(maskType, meetsGap));
    DimVector all(rhs.size());
    std::iota(all.begin(), all.end(), 0);
    mask = ir::BroadcastOp::create(b, RankedTensorType::get(rhs, b.getI1Type()), mask, all);
    Value none = zeros(kernelType);
    Value gaps = ir::MulOp::create(b, ir::SelectOp::create(b, mask, conv.getRhs(), none), none);
    DimVector others;
    for (int64_t dim : all)
      if (dim != outFeature)
        others.push_back(dim);
    Value each = ir::ReduceOp::create(b, ir::ReduceKind::Sum, gaps, others);
    return ir::BroadcastOp::create(b, type, each, DimVector{conv.getOutDims()[1]});
  }

  ImplicitLocOpBuilder b;
  ir::ConvOp conv;
  ArrayRef<int64_t> lhs, rhs, out;
  Type element;
  DimVector dilations; // of the input; 1 where it has one element
};

} // namespace

void compiler::splitDilated(ir::ConvOp conv) {
  Splitter splitter(conv);
  if (!splitter.isWorthIt())
    return splitter.addGaps();
  DimVector residues;
  conv.replaceAllUsesWith(splitter.interleaved(0, residues));
  conv.erase();
}
