// Optimizer steps in terms of primitive ops.
#include "dialects/Burn/Composites.h"

using namespace mlir;
using namespace burn::ir;
using namespace burn::ir::composite;

SmallVector<Value> AdamwUpdateOp::decompose(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value p = widen(b, getParameter()), g = widen(b, getGradient());
  const auto spread = [&](Value number) { return broadcast(b, convert(b, number, elementOf(p)), shapeOf(p), {}); };
  const auto moved = [&](Value average, double beta, Value towards) {
    return add(b, vjp::scale(b, widen(b, average), beta), vjp::scale(b, towards, 1 - beta));
  };
  Value m = moved(getAverage(), getBeta1().convertToDouble(), g);
  Value v = moved(getAverageOfSquares(), getBeta2().convertToDouble(), mul(b, g, g));
  Value root = mul(b, SqrtOp::create(b, v), spread(getCorrection()));
  Value direction = div(b, m, add(b, root, splat(b, root, getEpsilon().convertToDouble())));
  Value next = sub(b, p, mul(b, direction, spread(getStepSize())));
  next = sub(b, next, mul(b, p, spread(getDecay())));
  const auto narrow = [&](Value value) { return convert(b, value, elementOf(getParameter())); };
  return {narrow(next), narrow(m), narrow(v)};
}
