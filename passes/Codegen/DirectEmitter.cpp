#include "passes/Codegen/ContractionStreams.h"
#include "passes/Codegen/DirectConvolution.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace burn::compiler {

DirectEmitter::DirectEmitter(IndexEmitter &b, const DirectConvolution &conv, const ContractionKinds &kinds,
                             int64_t vectorLanes, Value image, Value kernel, Value scratch)
    : b(b), conv(conv), kinds(kinds), vectorLanes(vectorLanes), image(image), kernel(kernel), scratch(scratch),
      panels(scratch) {
  if (kinds.lhs != kinds.sum)
    imageWidening = Widening{kinds.lhs, kinds.sum};
  if (kinds.rhs != kinds.sum)
    kernelWidening = Widening{kinds.rhs, kinds.sum};
  vectorType = VectorType::get(vectorLanes, kinds.sum.getLowered(b.getContext()));
  zero = arith::ConstantOp::create(b, vectorType, b.getZeroAttr(vectorType));
}

Value DirectEmitter::multiplyAdd(Value x, Value y, Value sum) {
  if (isa<FloatType>(vectorType.getElementType()))
    return math::FmaOp::create(b, x, y, sum);
  return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y));
}

DirectEmitter::Values DirectEmitter::counted(int64_t size, ValueRange init,
                                             llvm::function_ref<Values(Value, ValueRange)> body) {
  return size == 1 ? body(b.index(0), init) : b.loop(b.index(0), b.index(size), 1, init, body);
}

void DirectEmitter::pieces(int64_t total, int64_t size, llvm::function_ref<void(Value, int64_t)> body) {
  const int64_t whole = total / size * size;
  if (whole == size)
    body(b.index(0), size);
  else if (whole > 0)
    b.loop(b.index(0), b.index(whole), size, [&](Value at) { body(at, size); });
  if (whole < total)
    body(b.index(whole), total - whole);
}

Value DirectEmitter::maskOf(int64_t lanes) {
  if (lanes >= vectorLanes)
    return nullptr;
  return vector::CreateMaskOp::create(b, VectorType::get(vectorLanes, b.getI1Type()), ValueRange{b.index(lanes)});
}

Value DirectEmitter::load(Value memref, Value at, const std::optional<Widening> &widening, Value mask) {
  auto type = VectorType::get(vectorLanes, cast<MemRefType>(memref.getType()).getElementType());
  if (!mask)
    return widen(b, vector::LoadOp::create(b, type, memref, at), widening);
  Value none = arith::ConstantOp::create(b, type, b.getZeroAttr(type));
  return widen(b, vector::MaskedLoadOp::create(b, type, memref, at, mask, none), widening);
}

Value DirectEmitter::loadScratch(Value at) { return vector::LoadOp::create(b, vectorType, scratch, at); }

Value DirectEmitter::loadPanel(Value at) { return vector::LoadOp::create(b, vectorType, panels, at); }

Value DirectEmitter::splat(Value memref, Value at) {
  Value scalar = memref::LoadOp::create(b, memref, ValueRange{at});
  if (memref == image)
    scalar = widen(b, scalar, imageWidening);
  return vector::BroadcastOp::create(b, vectorType, scalar);
}

void DirectEmitter::copyImage(const ImageBox &box, Value from, Value row, Value rows, int64_t column, Value to) {
  const ConvolutionAxis &vertical = conv.axes[0], &horizontal = conv.axes[1];
  const int64_t channels = box.channels, pitch = box.columns * channels;
  const int64_t left = std::clamp<int64_t>(-column, 0, box.columns),
                end = std::clamp<int64_t>(horizontal.extent - column, left, box.columns);
  // A vector at `at` of `run` neighbours, the last one moved back or masked.
  const auto along = [&](int64_t run, llvm::function_ref<void(Value, Value)> body) {
    pieces(run, vectorLanes, [&](Value at, int64_t lanes) { body(at, maskOf(lanes)); });
  };
  const auto store = [&](Value value, Value at, Value mask) {
    if (mask)
      vector::MaskedStoreOp::create(b, scratch, at, mask, value);
    else
      vector::StoreOp::create(b, value, scratch, at);
  };
  const auto clear = [&](Value at, int64_t run) {
    if (run > 0)
      along(run, [&](Value lane, Value mask) { store(zero, b.add(at, lane), mask); });
  };
  b.loop(b.index(0), rows, 1, [&](Value i) {
    Value y = b.add(row, i), target = b.add(to, b.mul(i, pitch));
    Value exists = b.compare(arith::CmpIPredicate::ult, y, b.index(vertical.extent));
    b.either(
        exists,
        [&] {
          clear(target, left * channels);
          if (end > left) {
            Value source = b.add(b.add(from, b.mul(y, vertical.imageStride)),
                                 std::max<int64_t>(column, 0) * horizontal.imageStride);
            Value first = b.add(target, left * channels);
            const auto copy = [&](Value fromAt, Value toAt, int64_t run) {
              along(run, [&](Value lane, Value mask) {
                store(load(image, b.add(fromAt, lane), imageWidening, mask), b.add(toAt, lane), mask);
              });
            };
            // Whole pixels are one run.
            if (horizontal.imageStride == channels)
              copy(source, first, (end - left) * channels);
            else
              b.loop(b.index(0), b.index(end - left), 1, [&](Value x) {
                copy(b.add(source, b.mul(x, horizontal.imageStride)), b.add(first, b.mul(x, channels)), channels);
              });
          }
          clear(b.add(target, end * channels), (box.columns - end) * channels);
        },
        [&] { clear(target, pitch); });
  });
}

OutputVector DirectEmitter::vectorAt(Value group, Value batch, Value vertical, Value horizontal, Value lane) {
  OutputVector vector{nullptr, nullptr, nullptr, group, nullptr, lane};
  for (int i = 0, end = conv.contraction.rows.size(); i < end; ++i)
    vector.rows.push_back(i == conv.batchRow ? batch : i == conv.axes[0].row ? vertical : horizontal);
  return vector;
}

void DirectEmitter::announce(Value group, Value batch, Value vertical, Value horizontal, Value lane) {
  epilogue->announce(b, vectorAt(group, batch, vertical, horizontal, lane), vectorLanes);
}

void DirectEmitter::finish(Value value, Value group, Value batch, Value vertical, Value horizontal, Value lane,
                           int64_t lanes) {
  OutputVector vector = vectorAt(group, batch, vertical, horizontal, lane);
  vector.value = value;
  if (lanes < vectorLanes)
    vector.mask = maskOf(lanes);
  epilogue->finish(b, vector, /*prefetches=*/false);
}

} // namespace burn::compiler
