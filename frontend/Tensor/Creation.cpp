#include "frontend/Tensor/Support.h"

#include <cmath>
#include <cstring>

namespace burn {

using namespace trace;

namespace {

Tensor filledTensor(const char *name, const Dims &dims, const Scalar &value, DType dtype, const Where &where) {
  const LocationScope scope(where);
  const Shape shape = checkedShape(name, dims);
  Recorder recorder(name, {});
  return recorder.finish(recorder.filled(dtype, value, internShape(shape)));
}

// start + step * i of the element type.
Tensor progression(const char *name, const Scalar &start, const Scalar &step, int64_t count, DType dtype) {
  const Shape shape = checkedShape(name, Dims(count));
  if (dtype == DType::Bool)
    raiseInvalid(std::string(name) + ": expects a number type");
  Recorder recorder(name, {});
  const Ref indices = recorder.emitTyped(core::IotaAttrs{0}, {}, dtype, internShape(shape));
  const Ref scaled = withNumber(recorder, OpCode::Mul, indices, step);
  return recorder.finish(withNumber(recorder, OpCode::Add, scaled, start));
}

} // namespace

Tensor from_data(const void *data, Dims dims, DType dtype, Where where) {
  const LocationScope scope(where);
  const Shape shape = checkedShape("from_data", dims);
  const int64_t bytes = shape.numel() * byteWidth(dtype);
  if (!data && bytes)
    raiseInvalid("from_data: the data pointer is null");
  runtime::BufferRef buffer = allocateBuffer(bytes);
  if (bytes)
    std::memcpy(buffer->data(), data, static_cast<size_t>(bytes));
  return makeComputed(placed(std::move(buffer), default_device()), dtype, shape);
}

Tensor from_blob(const void *data, Dims dims, DType dtype, std::function<void()> deleter, Where where) {
  const LocationScope scope(where);
  const Shape shape = checkedShape("from_blob", dims);
  const int64_t bytes = shape.numel() * byteWidth(dtype);
  if (!data && bytes)
    raiseInvalid("from_blob: the data pointer is null");
  auto buffer = runtime::Buffer::borrow(data, static_cast<size_t>(bytes), std::move(deleter));
  if (!buffer)
    raise(buffer.status().code(), buffer.status().message());
  return makeComputed(placed(std::move(*buffer), default_device()), dtype, shape);
}

void detail::checkCount(size_t count, const Dims &dims, const Where &where) {
  const LocationScope scope(where);
  const Shape shape = checkedShape("tensor", dims);
  if (static_cast<size_t>(shape.numel()) != count)
    raiseInvalid("tensor: " + std::to_string(count) + " values do not fill the shape " + shape.str() + " (" +
                 std::to_string(shape.numel()) + " elements)");
}

Tensor zeros(Dims shape, DType dtype, Where where) { return filledTensor("zeros", shape, 0, dtype, where); }
Tensor ones(Dims shape, DType dtype, Where where) { return filledTensor("ones", shape, 1, dtype, where); }
Tensor full(Dims shape, Scalar value, std::optional<DType> dtype, Where where) {
  return filledTensor("full", shape, value, dtype.value_or(defaultType(value)), where);
}
Tensor zeros_like(const Tensor &other, Where where) { return full_like(other, 0, where); }
Tensor ones_like(const Tensor &other, Where where) { return full_like(other, 1, where); }
Tensor full_like(const Tensor &other, Scalar value, Where where) {
  const LocationScope scope(where);
  const DeviceScope device(other);
  return filledTensor("full_like", other.shape(), value, other.dtype(), where);
}

Tensor arange(int64_t count, DType dtype, Where where) {
  const LocationScope scope(where);
  const Shape shape = checkedShape("arange", Dims(count));
  if (dtype == DType::Bool)
    raiseInvalid("arange: expects a number type");
  Recorder recorder("arange", {});
  return recorder.finish(recorder.emitTyped(core::IotaAttrs{0}, {}, dtype, internShape(shape)));
}

Tensor arange(Scalar start, Scalar stop, Scalar step, std::optional<DType> dtype, Where where) {
  const LocationScope scope(where);
  const bool real =
      start.kind == Scalar::Kind::Float || stop.kind == Scalar::Kind::Float || step.kind == Scalar::Kind::Float;
  if (step.real == 0 || !std::isfinite(step.real) || !std::isfinite(start.real) || !std::isfinite(stop.real))
    raiseInvalid("arange: expects finite bounds and a step other than 0");
  int64_t count = 0;
  if (real) {
    const double exact = std::ceil((stop.real - start.real) / step.real);
    if (exact > 0x1p60)
      raiseInvalid("arange: " + std::to_string(exact) + " elements are too many");
    count = static_cast<int64_t>(std::max(exact, 0.0));
  } else {
    const __int128 span = __int128(stop.integer) - start.integer, stride = step.integer;
    const __int128 exact = stride > 0 ? (span + stride - 1) / stride : (span + stride + 1) / stride;
    if (exact > (__int128(1) << 60))
      raiseInvalid("arange: more than 2^60 elements are too many");
    count = static_cast<int64_t>(exact);
  }
  return progression("arange", start, step, std::max<int64_t>(count, 0),
                     dtype.value_or(real ? DType::F32 : DType::I64));
}

Tensor linspace(double start, double stop, int64_t count, DType dtype, Where where) {
  const LocationScope scope(where);
  if (!isFloat(dtype))
    raiseInvalid("linspace: expects a float type, got " + std::string(name(dtype)));
  return progression("linspace", start, count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0.0, count,
                     dtype);
}

Tensor logspace(double start, double stop, int64_t count, double base, DType dtype, Where where) {
  const LocationScope scope(where);
  return pow(base, linspace(start, stop, count, dtype));
}

Tensor one_hot(const Tensor &x, int64_t classes, Where where) {
  const LocationScope scope(where);
  if (!isInt(x.dtype()) || classes < 0)
    raiseInvalid("one_hot: expects integers and classes >= 0, got " + std::string(name(x.dtype())) + x.shape().str() +
                 " and " + std::to_string(classes));
  const DeviceScope device(x);
  return x.to(DType::I64).unsqueeze(-1).eq(arange(classes)).to(DType::I64);
}

Tensor eye(int64_t rows, std::optional<int64_t> columns, DType dtype, Where where) {
  const LocationScope scope(where);
  const ShapeEntry *shape = internShape(checkedShape("eye", {rows, columns.value_or(rows)}));
  Recorder recorder("eye", {});
  const Ref row = recorder.emitTyped(core::IotaAttrs{0}, {}, DType::I64, shape);
  const Ref column = recorder.emitTyped(core::IotaAttrs{1}, {}, DType::I64, shape);
  return recorder.finish(recorder.convert(compared(recorder, core::CompareDirection::EQ, row, column), dtype));
}

} // namespace burn
