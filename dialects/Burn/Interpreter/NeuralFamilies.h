// The families of composites, for NeuralMeaning.cpp; not for others.
#pragma once

#include "dialects/Burn/Interpreter/Evaluation.h"
#include "dialects/Burn/Interpreter/ScalarMeaning.h"

namespace burn::ir::meaning {

// The meaning of an op by its code, or null where the family has no such op.
Function findActivation(core::OpCode op);
Function findNorm(core::OpCode op);
Function findAttention(core::OpCode op);
Function findInterpolate(core::OpCode op);
Function findQuant(core::OpCode op);
Function findUpdate(core::OpCode op);

/// Calls `fn` with the compute type of a float tensor.
template <typename Fn> Status overFloats(const HostTensor &tensor, Fn &&fn) {
  visitCompute(tensor, [&]<typename C>(C zero) {
    if constexpr (Float<C>)
      fn(zero);
  });
  return Status::ok();
}

} // namespace burn::ir::meaning
