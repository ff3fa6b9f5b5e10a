/// Operations of the user's own, with a decomposition in tensor functions, a kernel in C++, or both, and a derivative.
#pragma once

#include <burn/control.h>
#include <burn/host_kernel.h>
#include <burn/tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace burn {

/// Type and shape of a tensor to be.
struct TensorType {
  DType dtype = DType::F32;
  Shape shape;
};

/// What an operation does. It needs a decomposition, or a kernel and the types of its results.
struct CustomOpDefinition {
  /// Changes with what the kernel computes: programs that were compiled for another version are compiled again.
  int64_t version = 1;
  /// The results, in tensor functions. Fuses with what stands around it, and has its gradient by itself. Where there is
  /// a kernel too, it says what that computes: the reference interpreter runs it, and gradients are its own.
  std::function<TensorList(TensorSpan inputs)> decomposition = {};
  /// Computes the results in C++. It is no part of any fusion. Its inputs are those of the operation, then what the
  /// decomposition uses of tensors and numbers from outside.
  HostKernel kernel = {};
  /// The types of a kernel's results, where there is no decomposition to tell them.
  std::function<std::vector<TensorType>(TensorSpan inputs)> results = {};
  /// The gradients of the inputs in tensor functions, from inputs, outputs and the gradients of the outputs (undefined
  /// for outputs that are no floats). An undefined tensor means zero. Differentiated for gradients of higher order. A
  /// kernel with neither a decomposition nor this has no gradient: one that arrives is an error at the line of the
  /// call.
  std::function<TensorList(TensorSpan inputs, TensorSpan outputs, TensorSpan gradients)> vjp = {};
};

/// An operation that can be called. Copies share nothing and cost a little.
class BURN_API CustomOp {
public:
  CustomOp(std::string name, CustomOpDefinition definition);

  /// The results for some inputs.
  TensorList call(const TensorList &inputs, Where where = Where::current()) const;
  /// The one result; an error where there are others.
  Tensor operator()(const TensorList &inputs, Where where = Where::current()) const;

  const std::string &name() const { return name_; }

private:
  TensorList forward(const TensorList &inputs, const Where &where) const;

  std::string name_;
  CustomOpDefinition definition_;
};

/// Makes an operation under a name and registers its kernel in this process (see `register_host_kernel`). Throws
/// `burn::Error` where the definition lacks something.
BURN_API CustomOp custom_op(std::string name, CustomOpDefinition definition, Where where = Where::current());

} // namespace burn
