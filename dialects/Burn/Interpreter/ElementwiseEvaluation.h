// A meaning on one element applied to whole tensors; for the files of elementwise meanings.
#pragma once

#include "dialects/Burn/Interpreter/Evaluation.h"

namespace burn::ir::meaning {

/// Applies `Op::of` to each element in the type that the tensor computes in.
template <typename Op> Status unary(Evaluation &e) {
  visitCompute(e.operand(0), [&]<typename C>(C) {
    if constexpr (requires(C x) { Op::of(x); }) {
      Elements<C> x = load<C>(e.operand(0));
      for (auto &element : x)
        element = Op::of(static_cast<C>(element));
      store(e.result(), x);
    }
  });
  return Status::ok();
}

template <typename Op> Status binary(Evaluation &e) {
  visitCompute(e.operand(0), [&]<typename C>(C) {
    if constexpr (requires(C a, C b) { Op::of(a, b); }) {
      Elements<C> a = load<C>(e.operand(0));
      const Elements<C> b = load<C>(e.operand(1));
      for (size_t i = 0; i < a.size(); ++i)
        a[i] = Op::of(static_cast<C>(a[i]), static_cast<C>(b[i]));
      store(e.result(), a);
    }
  });
  return Status::ok();
}

} // namespace burn::ir::meaning
