#include "frontend/Tensor/Support.h"

#include <algorithm>

namespace burn {

using namespace trace;

Shape broadcastShapes(const Recorder &recorder, const Shape &a, const Shape &b) {
  const unsigned rank = std::max(a.rank(), b.rank());
  Shape result;
  for (unsigned i = 0; i < rank; ++i) {
    const int64_t left = i + a.rank() < rank ? 1 : a[i + a.rank() - rank];
    const int64_t right = i + b.rank() < rank ? 1 : b[i + b.rank() - rank];
    if (left != right && left != 1 && right != 1)
      recorder.fail("cannot broadcast shapes " + a.str() + " and " + b.str() + ": sizes " + std::to_string(left) +
                    " and " + std::to_string(right) + " of dimension " +
                    std::to_string(static_cast<int>(i) - static_cast<int>(rank)) + " differ");
    result.push(left == 1 ? right : left);
  }
  return result;
}

unsigned checkedDim(std::string_view name, int64_t dim, unsigned rank) {
  const int64_t range = std::max<int64_t>(rank, 1);
  if (dim < -range || dim >= range)
    raiseInvalid(std::string(name) + ": dimension " + std::to_string(dim) + " is outside [" + std::to_string(-range) +
                 ", " + std::to_string(range - 1) + "]");
  return static_cast<unsigned>(dim < 0 ? dim + range : dim);
}

uint32_t checkedDims(std::string_view name, const Dims &dims, unsigned rank) {
  if (dims.empty())
    return (1u << rank) - 1;
  uint32_t set = 0;
  for (int64_t dim : dims) {
    const unsigned checked = checkedDim(name, dim, rank);
    if (set >> checked & 1)
      raiseInvalid(std::string(name) + ": dimension " + std::to_string(dim) + " is named twice");
    set |= 1u << checked;
  }
  return rank ? set : 0;
}

Shape checkedShape(std::string_view name, const Dims &dims) {
  if (dims.overflows())
    raiseInvalid(std::string(name) + ": " + std::to_string(dims.size()) + " dimensions are more than the limit of " +
                 std::to_string(Shape::maxRank));
  const Shape shape(std::span<const int64_t>(dims.begin(), dims.size()));
  if (!shape.fits())
    raiseInvalid(std::string(name) + ": " + shape.str() + " is no shape");
  return shape;
}

namespace {

std::string describe(const Operand &operand) {
  if (!operand.isTensor())
    return "a number";
  return std::string(name(operand.tensor().dtype())) + operand.tensor().shape().str();
}

// The type to compute in.
DType commonType(const Recorder &recorder, const Operand &a, const Operand &b, BinaryTypes types) {
  DType type;
  if (a.isTensor() && b.isTensor()) {
    const auto common = promote(a.tensor().dtype(), b.tensor().dtype());
    if (!common)
      recorder.fail("no integer type holds the values of both " + describe(a) + " and " + describe(b) +
                    "; convert one with to()");
    type = *common;
  } else if (a.isTensor() || b.isTensor()) {
    type = promote((a.isTensor() ? a : b).tensor().dtype(), (a.isTensor() ? b : a).scalar());
  } else {
    type = promote(defaultType(a.scalar()), b.scalar());
  }
  switch (types) {
  case BinaryTypes::Promoted:
  case BinaryTypes::Logical:
    break;
  case BinaryTypes::Numbers:
    if (type == DType::Bool)
      recorder.fail("expects numbers, got " + describe(a) + " and " + describe(b));
    break;
  case BinaryTypes::Real:
    return realType(type);
  case BinaryTypes::Bits:
    if (isFloat(type))
      recorder.fail("expects booleans or integers, got " + describe(a) + " and " + describe(b));
    break;
  }
  return type;
}

} // namespace

BinaryOperands prepareBinary(Recorder &recorder, const Operand &a, const Operand &b, BinaryTypes types) {
  const DType type = types == BinaryTypes::Logical ? DType::Bool : commonType(recorder, a, b, types);
  const ShapeEntry *shapeA = a.isTensor() ? implOf(a.tensor())->shape : nullptr;
  const ShapeEntry *shapeB = b.isTensor() ? implOf(b.tensor())->shape : nullptr;
  const ShapeEntry *shape = shapeA == shapeB || !shapeB ? shapeA : shapeB;
  if (shapeA && shapeB && shapeA != shapeB)
    shape = internShape(broadcastShapes(recorder, shapeA->shape, shapeB->shape));
  if (!shape)
    shape = internShape(Shape{});
  const auto value = [&](const Operand &operand) {
    if (!operand.isTensor())
      return shape->shape.rank() ? recorder.filled(type, operand.scalar(), shape)
                                 : recorder.scalar(type, operand.scalar());
    return recorder.broadcast(recorder.convert(recorder.use(operand.tensor()), type), shape);
  };
  const Ref left = value(a);
  return {left, value(b), shape};
}

BinaryOperands prepareBinary(Recorder &recorder, Ref a, Ref b) {
  const auto type = promote(recorder.dtype(a), recorder.dtype(b));
  if (!type)
    recorder.fail("no integer type holds the values of both operands");
  const ShapeEntry *shape = internShape(broadcastShapes(recorder, recorder.shape(a)->shape, recorder.shape(b)->shape));
  return {recorder.broadcast(recorder.convert(a, *type), shape), recorder.broadcast(recorder.convert(b, *type), shape),
          shape};
}

Tensor unary(const char *name, OpCode op, const Tensor &x, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  return recorder.finish(recorder.emit(op, {recorder.use(x)}));
}

Tensor unaryReal(const char *name, OpCode op, const Tensor &x, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  const Ref value = recorder.use(x);
  return recorder.finish(recorder.emit(op, {recorder.convert(value, realType(recorder.dtype(value)))}));
}

Tensor rounding(const char *name, OpCode op, const Tensor &x, const Where &where) {
  const LocationScope scope(where);
  Recorder recorder(name, {&x});
  const Ref value = recorder.use(x);
  return recorder.finish(isFloat(recorder.dtype(value)) ? recorder.emit(op, {value}) : value);
}

Tensor binary(const char *name, OpCode op, const Operand &a, const Operand &b, BinaryTypes types) {
  const LocationScope scope(a.where());
  Recorder recorder(name, TensorOperands{&a, &b});
  const BinaryOperands operands = prepareBinary(recorder, a, b, types);
  return recorder.finish(recorder.emit(op, {operands.a, operands.b}));
}

std::pair<Ref, Ref> useNumbers(Recorder &recorder, const Tensor &a, const Tensor &b) {
  const auto type = promote(a.dtype(), b.dtype());
  if (!type || *type == DType::Bool)
    recorder.fail("no number type for " + std::string(name(a.dtype())) + a.shape().str() + " and " +
                  std::string(name(b.dtype())) + b.shape().str());
  return {recorder.convert(recorder.use(a), *type), recorder.convert(recorder.use(b), *type)};
}

Ref multiplied(Recorder &recorder, Ref a, Ref b) { return recorder.emit(OpCode::Mul, {a, b}); }

Ref withNumber(Recorder &recorder, OpCode op, Ref x, const Scalar &number) {
  const ShapeEntry *shape = recorder.shape(x);
  const Ref value = shape->shape.rank() ? recorder.filled(recorder.dtype(x), number, shape)
                                        : recorder.scalar(recorder.dtype(x), number);
  return recorder.emit(op, {x, value});
}

Ref reduced(Recorder &recorder, core::ReduceKind kind, Ref x, uint32_t dims, bool keep) {
  const Shape &shape = recorder.shape(x)->shape;
  int64_t list[Shape::maxRank];
  size_t count = 0;
  Shape kept;
  for (unsigned i = 0; i < shape.rank(); ++i) {
    if (dims >> i & 1)
      list[count++] = i;
    kept.push(dims >> i & 1 ? 1 : shape[i]);
  }
  const Ref result = recorder.emit(core::ReduceAttrs{kind, std::span<const int64_t>(list, count)}, {x});
  return keep ? recorder.reshape(result, kept) : result;
}

Ref compared(Recorder &recorder, core::CompareDirection direction, Ref a, Ref b) {
  return recorder.emit(core::CompareAttrs{direction}, {a, b});
}

Tensor makeComputed(runtime::BufferRef buffer, DType dtype, const Shape &shape) {
  ImplRef impl = makeImpl(dtype, internShape(shape), numberOf(buffer->device()));
  impl->buffer = std::move(buffer);
  return handleOf(impl.get());
}

runtime::BufferRef placed(runtime::BufferRef buffer, const Device &device) {
  runtime::Device *wanted = deviceAt(device.number());
  if (buffer->device() == wanted)
    return buffer;
  auto copy = buffer->copyTo(wanted);
  if (!copy)
    raise(copy.status().code(), copy.status().message());
  return std::move(*copy);
}

const std::byte *contentsOf(const TensorImpl &tensor) {
  awaitValue(tensor);
  const auto contents = tensor.buffer->read();
  if (!contents)
    raise(contents.status().code(), contents.status().message());
  return static_cast<const std::byte *>(*contents);
}

runtime::BufferRef allocateBuffer(int64_t bytes) {
  auto buffer = runtime::Buffer::allocate(static_cast<size_t>(bytes));
  if (!buffer)
    raise(buffer.status().code(), buffer.status().message());
  return std::move(*buffer);
}

} // namespace burn
