// Shared by the files that implement functions on tensors.
#pragma once

#include "frontend/Tensor/Promotion.h"
#include "frontend/Trace/Recorder.h"

#include <burn/ops.h>

#include <string_view>

namespace burn {

using core::OpCode;
using trace::DeviceScope;
using trace::raiseInvalid;
using trace::Recorder;
using trace::Ref;
using trace::ShapeEntry;

/// The shape that both broadcast to; an error that names both.
Shape broadcastShapes(const Recorder &recorder, const Shape &a, const Shape &b);

/// A dimension that may count from the end, as 0 <= dim < rank. A scalar takes 0 and -1.
unsigned checkedDim(std::string_view name, int64_t dim, unsigned rank);

/// The dimensions as a set of bits; all of them where the list is empty. Twice the same is an error.
uint32_t checkedDims(std::string_view name, const Dims &dims, unsigned rank);

/// A list of sizes as a shape; an error where one is negative or there are too many.
Shape checkedShape(std::string_view name, const Dims &dims);

/// The dtype of results of functions on real numbers: f32 for integers and booleans.
inline DType realType(DType dtype) { return isFloat(dtype) ? dtype : DType::F32; }

/// The dtype that means and the like of floats are computed in: f32 for f16 and bf16, whose sums may not fit.
inline DType sumType(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16 ? DType::F32 : dtype; }

/// The operands of `a op b` after promotion and broadcasting, and their shape.
struct BinaryOperands {
  Ref a, b;
  const ShapeEntry *shape;
};

/// Which types a binary function takes and computes in.
enum class BinaryTypes : uint8_t {
  Promoted, // the common type
  Numbers,  // the common type, no booleans
  Real,     // the common type, f32 for integers
  Logical,  // booleans: numbers are compared with 0
  Bits,     // the common type, no floats
};
BinaryOperands prepareBinary(Recorder &recorder, const Operand &a, const Operand &b, BinaryTypes types);
/// Promotes and broadcasts values that are recorded already.
BinaryOperands prepareBinary(Recorder &recorder, Ref a, Ref b);

// Functions that are one op, by the name that stands in their errors.
Tensor unary(const char *name, OpCode op, const Tensor &x, const Where &where);
/// Of real numbers: integers and booleans become f32.
Tensor unaryReal(const char *name, OpCode op, const Tensor &x, const Where &where);
/// A rounding: of integers the identity.
Tensor rounding(const char *name, OpCode op, const Tensor &x, const Where &where);
Tensor binary(const char *name, OpCode op, const Operand &a, const Operand &b, BinaryTypes types);

/// Both tensors in their common type; booleans are refused.
std::pair<Ref, Ref> useNumbers(Recorder &recorder, const Tensor &a, const Tensor &b);

/// The operands that are tensors, for the Recorder.
class TensorOperands {
public:
  TensorOperands(std::initializer_list<const Operand *> operands) {
    for (const Operand *operand : operands)
      if (operand->isTensor())
        tensors_[count_++] = &operand->tensor();
  }
  operator std::span<const Tensor *const>() const { return {tensors_, count_}; }

private:
  const Tensor *tensors_[4];
  size_t count_ = 0;
};

// Ops on recorded values that several functions are made of. Values have one type and shape unless said otherwise.
Ref multiplied(Recorder &recorder, Ref a, Ref b);
/// x op number, the number in x's type.
Ref withNumber(Recorder &recorder, OpCode op, Ref x, const Scalar &number);
/// Sum over the dimensions in `dims`, which stay with size 1 where `keep`.
Ref reduced(Recorder &recorder, core::ReduceKind kind, Ref x, uint32_t dims, bool keep);
Ref compared(Recorder &recorder, core::CompareDirection direction, Ref a, Ref b);

/// A tensor that is computed already.
Tensor makeComputed(runtime::BufferRef buffer, DType dtype, const Shape &shape);
/// The buffer itself where it is on `device`, else a copy there, or burn::Error.
runtime::BufferRef placed(runtime::BufferRef buffer, const Device &device);
/// The values of a computed tensor as the host sees them, or burn::Error; waits for the device.
const std::byte *contentsOf(const trace::TensorImpl &tensor);
/// Memory of the host for a tensor, or burn::Error.
runtime::BufferRef allocateBuffer(int64_t bytes);

/// What an in-place method does: `target` becomes a handle of `value`, converted to its type. A leaf that requires
/// gradients stays one; outside of no_grad that is an error.
void rebind(Tensor &target, const Tensor &value, const char *name);

} // namespace burn
