#include "passes/Autodiff/CotangentMap.h"

#include "dialects/Burn/Burn.h"

using namespace mlir;
using namespace burn::compiler;

void CotangentMap::add(Value value, unsigned consumer, unsigned operand, Value cotangent) {
  if (cotangent)
    contributions[value].push_back({consumer, operand, cotangent});
}

Value CotangentMap::total(OpBuilder &builder, Location loc, Value value) {
  auto found = contributions.find(value);
  if (found == contributions.end())
    return {};
  auto &terms = found->second;
  llvm::sort(terms, [](const Contribution &a, const Contribution &b) {
    return std::pair(a.consumer, a.operand) < std::pair(b.consumer, b.operand);
  });
  auto type = cast<RankedTensorType>(value.getType());
  // A chain of sums in a 16-bit type would lose what the wider sum keeps.
  const bool widen = terms.size() > 2 && type.getElementTypeBitWidth() == 16;
  auto term = [&](Contribution &contribution) -> Value {
    if (!widen)
      return contribution.cotangent;
    return ir::ConvertOp::create(builder, loc, type.clone(builder.getF32Type()), contribution.cotangent);
  };
  Value sum = term(terms.front());
  for (Contribution &contribution : llvm::drop_begin(terms))
    sum = ir::AddOp::create(builder, loc, sum, term(contribution));
  if (widen)
    sum = ir::ConvertOp::create(builder, loc, type, sum);
  terms.assign(1, {0, 0, sum});
  return sum;
}
