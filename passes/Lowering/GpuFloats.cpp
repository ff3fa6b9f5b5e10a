#include "passes/Lowering/GpuFloats.h"

#include "runtime/Core/GpuPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace burn;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

struct Emitter : ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value add(Value x, Value y) { return arith::AddFOp::create(*this, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(*this, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(*this, x, y); }
  Value number(Type type, double value) { return arith::ConstantOp::create(*this, getFloatAttr(type, value)); }
  Value word(uint32_t value) { return arith::ConstantOp::create(*this, getI32IntegerAttr(int32_t(value))); }
  Value bits(Value x) { return arith::BitcastOp::create(*this, getI32Type(), x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(*this, getF32Type(), x); }
  Value compare(CmpFPredicate predicate, Value x, Value y) { return arith::CmpFOp::create(*this, predicate, x, y); }
  Value compare(CmpIPredicate predicate, Value x, Value y) { return arith::CmpIOp::create(*this, predicate, x, y); }
  Value choose(Value condition, Value x, Value y) { return arith::SelectOp::create(*this, condition, x, y); }

  // x = high + low with as many bits each as a product may have (Veltkamp).
  std::pair<Value, Value> split(Value x) {
    Value scaled = mul(x, number(x.getType(), x.getType().isF64() ? 0x1p27 + 1 : 0x1p12 + 1));
    Value high = sub(scaled, sub(scaled, x));
    return {high, sub(x, high)};
  }

  // x * y - product, exact where product is that product rounded (Dekker).
  Value lostOf(Value x, Value y, Value product) {
    auto [xHigh, xLow] = split(x);
    auto [yHigh, yLow] = x == y ? std::pair(xHigh, xLow) : split(y);
    Value lost = sub(mul(xHigh, yHigh), product);
    lost = add(lost, mul(xHigh, yLow));
    lost = add(lost, mul(xLow, yHigh));
    return add(lost, mul(xLow, yLow));
  }
};

/// What the GPU makes of an f32 fused multiply-add.
enum class GpuFma { None, Normal, Exact };

bool isMiddling(Value value) {
  APFloat number(0.f);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return false;
  const double size = std::fabs(number.convertToDouble());
  return 0x1p-60 <= size && size <= 0x1p40;
}

/// Whether subnormal numbers matter nowhere in a step a t + c of a polynomial in t with such coefficients. Where t is
/// subnormal, a is a coefficient, and the product less than half an ulp of c. Else a is a coefficient or a step, c or
/// more than one part in 2^47 of it, or 0: all are normal numbers.
bool isHornerStep(Value a, Value t, Value c) {
  if (!isMiddling(c))
    return false;
  if (isMiddling(a))
    return true;
  const auto continues = [&](auto step, Value x, Value y, Value z) {
    return step && ((y == t && isHornerStep(x, t, z)) || (x == t && isHornerStep(y, t, z)));
  };
  if (auto step = a.getDefiningOp<math::FmaOp>())
    return continues(step, step.getA(), step.getB(), step.getC());
  if (auto step = a.getDefiningOp<spirv::GLFmaOp>())
    return continues(step, step.getX(), step.getY(), step.getZ());
  return false;
}

/// x * y + z as the rounded sum, plus what product and sum lost (Dekker, Knuth): exact wherever the product is that
/// is subtracted from its own rounding, and within an ulp of the fused result elsewhere. Where the parts overflow,
/// product and sum stand as they are. A GPU's own operation takes the place of these parts, where it takes subnormal
/// numbers for zeros in all cases but those in which there may be some.
struct ExpandFma : OpRewritePattern<math::FmaOp> {
  ExpandFma(MLIRContext *context, GpuFma ofGpu) : OpRewritePattern(context), ofGpu(ofGpu) {}
  const GpuFma ofGpu;

  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    Emitter b(op.getLoc(), rewriter);
    Value x = op.getA(), y = op.getB(), z = op.getC();
    if (ofGpu == GpuFma::None || !op.getType().isF32()) {
      rewriter.replaceOp(op, parts(b, x, y, z));
      return success();
    }
    Value fused = spirv::GLFmaOp::create(b, op.getType(), x, y, z);
    if (ofGpu == GpuFma::Exact || isHornerStep(x, y, z) || isHornerStep(y, x, z)) {
      rewriter.replaceOp(op, fused);
      return success();
    }
    // A subnormal summand is nothing beside a result of 2^-100.
    Value isRight = atLeast(b, fused, 0x1p-100);
    for (Value factor : {x, y})
      if (APFloat number(0.f); !matchPattern(factor, m_ConstantFloat(&number)) || !number.isNormal())
        isRight = arith::AndIOp::create(b, isRight, atLeast(b, factor, 0x1p-126));
    auto choice = scf::IfOp::create(
        b, isRight, [&](OpBuilder &, Location) { scf::YieldOp::create(b, fused); },
        [&](OpBuilder &, Location) { scf::YieldOp::create(b, parts(b, x, y, z)); });
    rewriter.replaceOp(op, choice);
    return success();
  }

private:
  static Value atLeast(Emitter &b, Value x, double bound) {
    return b.compare(CmpFPredicate::OGE, math::AbsFOp::create(b, x), b.number(x.getType(), bound));
  }

  static Value parts(Emitter &b, Value x, Value y, Value z) {
    Value product = b.mul(x, y);
    Value lost = b.lostOf(x, y, product);
    Value sum = b.add(product, z);
    Value part = b.sub(sum, product);
    Value rest = b.add(b.sub(product, b.sub(sum, part)), b.sub(z, part));
    Value all = b.add(sum, b.add(lost, rest));
    return b.choose(b.compare(CmpFPredicate::ORD, all, all), all, sum);
  }
};

/// The rounded square root, from an instruction that Vulkan lets be some ulps off: a Newton step leaves it right or
/// beside the right one, and the exact residual says which (Tuckerman: s is right where s pred(s) < x <= s succ(s)).
struct ExpandSqrt : OpRewritePattern<math::SqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SqrtOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "is of no f32");
    Emitter b(op.getLoc(), rewriter);
    Type type = op.getType();
    Value x = op.getOperand();
    const auto num = [&](double value) { return b.number(type, value); };
    // Residuals of what lies between 2^-64 and 2^64 are no subnormal numbers.
    Value isLarge = b.compare(CmpFPredicate::OGE, x, num(1)), isSmall = b.compare(CmpFPredicate::OLT, x, num(0x1p-52));
    Value scaled = b.mul(x, b.choose(isLarge, num(0x1p-64), b.choose(isSmall, num(0x1p96), num(1))));
    const auto residual = [&](Value root) {
      Value square = b.mul(root, root);
      return b.sub(b.sub(scaled, square), b.lostOf(root, root, square));
    };
    Value root = spirv::GLSqrtOp::create(b, type, scaled);
    root = b.add(root, b.mul(residual(root), arith::DivFOp::create(b, num(0.5), root)));
    Value rest = residual(root);
    Value next = b.fromBits(arith::AddIOp::create(b, b.bits(root), b.word(1)));
    Value previous = b.fromBits(arith::SubIOp::create(b, b.bits(root), b.word(1)));
    Value isAbove = b.compare(CmpFPredicate::OGT, rest, b.mul(root, b.sub(next, root)));
    Value isBelow = b.compare(CmpFPredicate::OLE, rest, b.mul(root, b.sub(previous, root)));
    root = b.choose(isAbove, next, b.choose(isBelow, previous, root));
    root = b.mul(root, b.choose(isLarge, num(0x1p32), b.choose(isSmall, num(0x1p-48), num(1))));
    // Zeros and infinity stay what they are.
    Value isNumber = arith::AndIOp::create(b, b.compare(CmpFPredicate::OGT, x, num(0)),
                                           b.compare(CmpFPredicate::OLT, x, num(HUGE_VAL)));
    Value isItself = b.compare(CmpFPredicate::OGE, x, num(0));
    rewriter.replaceOp(op, b.choose(isNumber, root, b.choose(isItself, x, num(std::nan("")))));
    return success();
  }
};

/// What is rounded to f16 is one already: compilers of drivers take a conversion to f16 and back for nothing. A value
/// that only goes to memory is left to the instruction.
struct RoundToHalf : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF16() || !op.getIn().getType().isF32() || op->hasAttr(kRounded))
      return rewriter.notifyMatchFailure(op, "rounds no f32 to f16, or did so before");
    if (llvm::all_of(op->getUsers(), [](Operation *user) { return isa<memref::StoreOp>(user); }))
      return rewriter.notifyMatchFailure(op, "is stored alone");
    Emitter b(op.getLoc(), rewriter);
    Value bits = b.bits(op.getIn());
    Value size = arith::AndIOp::create(b, bits, b.word(0x7fffffff));
    Value sign = arith::XOrIOp::create(b, bits, size);
    // To nearest, ties to even, of 13 bits less; a carry goes into the exponent.
    Value isOdd = arith::AndIOp::create(b, arith::ShRUIOp::create(b, size, b.word(13)), b.word(1));
    Value rounded = arith::AddIOp::create(b, arith::AddIOp::create(b, size, b.word(0xfff)), isOdd);
    rounded = arith::AndIOp::create(b, rounded, b.word(~0x1fffu));
    // Subnormal numbers of f16 are multiples of 2^-24, as the numbers of f32 above 1/2 are.
    Value half = b.number(b.getF32Type(), 0.5);
    Value small = b.bits(b.sub(b.add(b.fromBits(size), half), half));
    Value isSmall = b.compare(CmpIPredicate::ult, size, b.word(0x38800000));
    Value isOver = b.compare(CmpIPredicate::uge, rounded, b.word(0x47800000));
    Value isNaN = b.compare(CmpIPredicate::ugt, size, b.word(0x7f800000));
    Value quiet = arith::OrIOp::create(b, size, b.word(0x400000));
    Value result = b.choose(isNaN, quiet, b.choose(isOver, b.word(0x7f800000), b.choose(isSmall, small, rounded)));
    Value value = b.fromBits(arith::OrIOp::create(b, result, sign));
    auto narrow = arith::TruncFOp::create(b, op.getType(), value);
    narrow->setAttr(kRounded, b.getUnitAttr());
    rewriter.replaceOp(op, narrow);
    return success();
  }

  static constexpr const char *kRounded = "burn.rounded";
};

} // namespace

void compiler::populateGpuFloatPatterns(RewritePatternSet &patterns, const core::GpuTarget &target) {
  const GpuFma ofGpu = target.features & core::kGpuFma32         ? GpuFma::Exact
                       : target.features & core::kGpuNormalFma32 ? GpuFma::Normal
                                                                 : GpuFma::None;
  patterns.add<ExpandFma>(patterns.getContext(), ofGpu);
  patterns.add<ExpandSqrt, RoundToHalf>(patterns.getContext());
}
