#include "passes/Codegen/IndexMath.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace mlir;

namespace burn::compiler {
namespace {

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// The terms of a sum: each an expression times a constant.
void collectTerms(AffineExpr expr, int64_t factor, llvm::SmallVectorImpl<std::pair<AffineExpr, int64_t>> &terms,
                  int64_t &constant) {
  if (auto value = llvm::dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * value.getValue();
    return;
  }
  if (auto binary = llvm::dyn_cast<AffineBinaryOpExpr>(expr)) {
    if (expr.getKind() == AffineExprKind::Add) {
      collectTerms(binary.getLHS(), factor, terms, constant);
      collectTerms(binary.getRHS(), factor, terms, constant);
      return;
    }
    if (expr.getKind() == AffineExprKind::Mul)
      if (auto scale = llvm::dyn_cast<AffineConstantExpr>(binary.getRHS())) {
        collectTerms(binary.getLHS(), factor * scale.getValue(), terms, constant);
        return;
      }
  }
  for (auto &[term, scale] : terms)
    if (term == expr) {
      scale += factor;
      return;
    }
  terms.push_back({expr, factor});
}

AffineExpr sumOf(llvm::ArrayRef<std::pair<AffineExpr, int64_t>> terms, int64_t constant, MLIRContext *context) {
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (auto [term, scale] : terms)
    if (scale != 0)
      sum = sum + term * scale;
  return sum + constant;
}

AffineExpr simplifySum(AffineExpr expr, llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<std::pair<AffineExpr, int64_t>> terms;
  int64_t constant = 0;
  collectTerms(expr, 1, terms, constant);
  // (x floordiv c) * c*k + (x mod c) * k is x * k.
  for (auto &[quotient, scale] : terms) {
    auto division = llvm::dyn_cast<AffineBinaryOpExpr>(quotient);
    if (scale == 0 || !division || division.getKind() != AffineExprKind::FloorDiv)
      continue;
    auto divisor = llvm::dyn_cast<AffineConstantExpr>(division.getRHS());
    if (!divisor)
      continue;
    for (auto &[remainder, other] : terms) {
      auto modulo = llvm::dyn_cast<AffineBinaryOpExpr>(remainder);
      if (other != 0 && modulo && modulo.getKind() == AffineExprKind::Mod && modulo.getRHS() == division.getRHS() &&
          modulo.getLHS() == division.getLHS() && scale == other * divisor.getValue()) {
        const int64_t k = other;
        AffineExpr whole = division.getLHS();
        scale = other = 0;
        return simplifySum(sumOf(terms, constant, expr.getContext()) + whole * k, sizes);
      }
    }
  }
  return sumOf(terms, constant, expr.getContext());
}

// Splits a sum into the part whose factors `divisor` divides and the rest.
void splitByDivisor(AffineExpr expr, int64_t divisor, AffineExpr &multiple, AffineExpr &rest) {
  llvm::SmallVector<std::pair<AffineExpr, int64_t>> terms;
  int64_t constant = 0;
  collectTerms(expr, 1, terms, constant);
  MLIRContext *context = expr.getContext();
  multiple = getAffineConstantExpr(floorDivide(constant, divisor), context);
  rest = getAffineConstantExpr(constant - floorDivide(constant, divisor) * divisor, context);
  for (auto [term, scale] : terms) {
    if (scale % divisor == 0)
      multiple = multiple + term * (scale / divisor);
    else
      rest = rest + term * scale;
  }
}

} // namespace

std::pair<int64_t, int64_t> indexRange(AffineExpr expr, llvm::ArrayRef<int64_t> sizes) {
  if (auto constant = llvm::dyn_cast<AffineConstantExpr>(expr))
    return {constant.getValue(), constant.getValue()};
  if (auto dim = llvm::dyn_cast<AffineDimExpr>(expr))
    return {0, sizes[dim.getPosition()] - 1};
  auto binary = llvm::cast<AffineBinaryOpExpr>(expr);
  const auto [low, high] = indexRange(binary.getLHS(), sizes);
  const auto [rightLow, rightHigh] = indexRange(binary.getRHS(), sizes);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return {low + rightLow, high + rightHigh};
  case AffineExprKind::Mul: {
    const int64_t corners[] = {low * rightLow, low * rightHigh, high * rightLow, high * rightHigh};
    return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
  }
  case AffineExprKind::FloorDiv:
    return {floorDivide(low, rightLow), floorDivide(high, rightLow)};
  case AffineExprKind::CeilDiv:
    return {-floorDivide(-low, rightLow), -floorDivide(-high, rightLow)};
  case AffineExprKind::Mod:
    if (floorDivide(low, rightLow) == floorDivide(high, rightLow)) {
      const int64_t base = floorDivide(low, rightLow) * rightLow;
      return {low - base, high - base};
    }
    return {0, rightLow - 1};
  default:
    break;
  }
  return {INT64_MIN / 4, INT64_MAX / 4};
}

AffineExpr simplifyIndex(AffineExpr expr, llvm::ArrayRef<int64_t> sizes) {
  MLIRContext *context = expr.getContext();
  if (auto dim = llvm::dyn_cast<AffineDimExpr>(expr))
    return sizes[dim.getPosition()] == 1 ? getAffineConstantExpr(0, context) : expr;
  auto binary = llvm::dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr left = simplifyIndex(binary.getLHS(), sizes);
  AffineExpr right = simplifyIndex(binary.getRHS(), sizes);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return simplifySum(left + right, sizes);
  case AffineExprKind::Mul:
    return simplifySum(left * right, sizes);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::Mod: {
    auto divisor = llvm::dyn_cast<AffineConstantExpr>(right);
    if (!divisor || divisor.getValue() <= 0)
      break;
    const int64_t c = divisor.getValue();
    const bool quotient = expr.getKind() == AffineExprKind::FloorDiv;
    if (c == 1)
      return quotient ? left : getAffineConstantExpr(0, context);
    // (x floordiv a) floordiv c is x floordiv (a * c).
    if (auto inner = llvm::dyn_cast<AffineBinaryOpExpr>(left);
        quotient && inner && inner.getKind() == AffineExprKind::FloorDiv)
      if (auto first = llvm::dyn_cast<AffineConstantExpr>(inner.getRHS()))
        return simplifyIndex(inner.getLHS().floorDiv(first.getValue() * c), sizes);
    AffineExpr multiple, rest;
    splitByDivisor(left, c, multiple, rest);
    const auto [low, high] = indexRange(rest, sizes);
    if (floorDivide(low, c) == floorDivide(high, c)) {
      const int64_t whole = floorDivide(low, c);
      return simplifySum(quotient ? multiple + whole : rest - whole * c, sizes);
    }
    return quotient ? simplifySum(multiple + rest.floorDiv(c), sizes) : rest % c;
  }
  default:
    break;
  }
  return getAffineBinaryOpExpr(expr.getKind(), left, right);
}

std::optional<int64_t> coefficientOf(AffineExpr expr, unsigned dim) {
  if (auto other = llvm::dyn_cast<AffineDimExpr>(expr))
    return other.getPosition() == dim ? 1 : 0;
  auto binary = llvm::dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 0;
  std::optional<int64_t> left = coefficientOf(binary.getLHS(), dim);
  std::optional<int64_t> right = coefficientOf(binary.getRHS(), dim);
  if (!left || !right)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return *left + *right;
  case AffineExprKind::Mul: {
    auto scale = llvm::dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (scale)
      return *left * scale.getValue();
    break;
  }
  default:
    break;
  }
  return *left == 0 && *right == 0 ? std::optional<int64_t>(0) : std::nullopt;
}

} // namespace burn::compiler
