#include "dialects/Burn/Composites.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

Value composite::convert(ImplicitLocOpBuilder &b, Value value, Type element) {
  RankedTensorType type = typeOf(value).clone(element);
  return type == value.getType() ? value : ConvertOp::create(b, type, value).getResult();
}

Type composite::computeElement(Value value) {
  Type element = elementOf(value);
  return element.isF64() ? element : Float32Type::get(value.getContext());
}

Value composite::shapedLike(ImplicitLocOpBuilder &b, Value value, Value like) {
  return reshape(b, convert(b, value, elementOf(like)), shapeOf(like));
}

Value composite::reduce(ImplicitLocOpBuilder &b, ReduceKind kind, Value value, Dims dims) {
  return ReduceOp::create(b, kind, value, dims);
}

Value composite::softplus(ImplicitLocOpBuilder &b, Value x) {
  Value small = Log1pOp::create(b, ExpOp::create(b, neg(b, AbsOp::create(b, x))));
  return add(b, MaxOp::create(b, x, zeros(b, x)), small);
}

Value composite::constantVector(ImplicitLocOpBuilder &b, ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, b.getI64Type());
  return ConstantOp::create(b, type, DenseElementsAttr::get(type, values));
}

Value composite::constantVector(ImplicitLocOpBuilder &b, Type element, ArrayRef<double> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  if (element.isF64())
    return ConstantOp::create(b, type, DenseElementsAttr::get(type, values));
  SmallVector<Attribute> attributes;
  for (double value : values)
    attributes.push_back(FloatAttr::get(element, value));
  return ConstantOp::create(b, type, DenseElementsAttr::get(type, attributes));
}

NormLines NormLines::lastDims(Dims input, int64_t axis) {
  NormLines lines{DimVector(input), DimVector(input), range(axis, input.size()), range(axis, input.size()), 1};
  for (int64_t size : input.drop_front(axis))
    lines.count *= size;
  return lines;
}

NormLines NormLines::featureGroups(Dims input, int64_t groups) {
  int64_t count = input[1] / groups;
  for (int64_t size : input.drop_front(2))
    count *= size;
  return {DimVector(input), {input[0], groups, count}, {2}, {1}, count};
}
