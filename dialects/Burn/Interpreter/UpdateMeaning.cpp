// Steps of optimizers.
#include "dialects/Burn/Interpreter/NeuralFamilies.h"

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

Status adamwUpdate(Evaluation &e, const core::AdamwUpdateAttrs &attrs) {
  return overFloats(e.operand(0), [&]<typename C>(C) {
    const Elements<C> p = load<C>(e.operand(0)), g = load<C>(e.operand(1));
    Elements<C> m = load<C>(e.operand(2)), v = load<C>(e.operand(3)), next(p.size());
    const C stepSize = load<C>(e.operand(4))[0], correction = load<C>(e.operand(5))[0],
            decay = load<C>(e.operand(6))[0];
    for (size_t i = 0; i < p.size(); ++i) {
      m[i] = attrs.beta1 * m[i] + (1 - attrs.beta1) * g[i];
      v[i] = attrs.beta2 * v[i] + (1 - attrs.beta2) * g[i] * g[i];
      next[i] = p[i] - stepSize * m[i] / (std::sqrt(v[i]) * correction + attrs.epsilon) - decay * p[i];
    }
    store(e.result(0), next);
    store(e.result(1), m);
    store(e.result(2), v);
  });
}

} // namespace

Function meaning::findUpdate(OpCode op) { return op == OpCode::AdamwUpdate ? Decoding<adamwUpdate>::call : nullptr; }
