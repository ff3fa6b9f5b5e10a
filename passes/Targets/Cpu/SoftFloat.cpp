#include "passes/Targets/Cpu/SoftFloat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <cmath>

namespace burn::compiler {
namespace {

/// Elementwise arithmetic on values of one shape, a scalar or a vector.
class Lanes {
public:
  explicit Lanes(llvm::Instruction &place) : b(&place), shape(place.getType()) {}

  llvm::Type *of(llvm::Type *element) const { return shape->getWithNewType(element); }
  llvm::Value *num(llvm::Value *like, uint64_t value) { return llvm::ConstantInt::get(like->getType(), value); }
  llvm::Value *bits(llvm::Value *x) { return b.CreateBitCast(x, of(b.getIntNTy(x->getType()->getScalarSizeInBits()))); }
  llvm::Value *above(llvm::Value *x, uint64_t limit) { return b.CreateICmpUGT(x, num(x, limit)); }

  llvm::IRBuilder<> b;

private:
  llvm::Type *shape;
};

constexpr uint64_t kSign16 = 0x8000, kInfinity16 = 0x7c00, kQuiet16 = 0x0200;
constexpr uint64_t kInfinity32 = 0x7f800000, kQuiet32 = 0x00400000;
constexpr unsigned kMoreMantissa = 23 - 10;
constexpr uint64_t kMoreExponent = 127 - 15;

llvm::Value *extend(Lanes &lanes, llvm::Value *half) {
  llvm::IRBuilder<> &b = lanes.b;
  llvm::Type *word = lanes.of(b.getInt32Ty()), *single = lanes.of(b.getFloatTy());
  llvm::Value *bits = b.CreateZExt(lanes.bits(half), word);
  llvm::Value *sign = b.CreateShl(b.CreateAnd(bits, lanes.num(bits, kSign16)), lanes.num(bits, 16));
  llvm::Value *magnitude = b.CreateAnd(bits, lanes.num(bits, kSign16 - 1));
  // In the place of an f32 the number is 2^112 times too small, subnormal or not.
  llvm::Value *placed = b.CreateShl(magnitude, lanes.num(bits, kMoreMantissa));
  llvm::Value *finite = lanes.bits(
      b.CreateFMul(b.CreateBitCast(placed, single), llvm::ConstantFP::get(single, std::ldexp(1.0, kMoreExponent))));
  llvm::Value *isNaN = lanes.above(magnitude, kInfinity16);
  llvm::Value *special = b.CreateOr(placed, lanes.num(bits, kInfinity32));
  special = b.CreateSelect(isNaN, b.CreateOr(special, lanes.num(bits, kQuiet32)), special);
  llvm::Value *result = b.CreateSelect(lanes.above(magnitude, kInfinity16 - 1), special, finite);
  return b.CreateBitCast(b.CreateOr(result, sign), single);
}

llvm::Value *round(Lanes &lanes, llvm::Value *single) {
  llvm::IRBuilder<> &b = lanes.b;
  constexpr uint64_t leastNormal = (kMoreExponent + 1) << 23;          // 2^-14
  constexpr uint64_t greatest = ((kMoreExponent + 31) << 23) - 0x1000; // 65520 rounds to infinity
  constexpr uint64_t half = uint64_t(126) << 23;                       // the last place of 1/2 is 2^-24, that of f16
  llvm::Value *bits = lanes.bits(single);
  llvm::Value *sign = b.CreateAnd(b.CreateLShr(bits, lanes.num(bits, 16)), lanes.num(bits, kSign16));
  llvm::Value *magnitude = b.CreateAnd(bits, lanes.num(bits, 0x7fffffff));
  llvm::Value *isOdd = b.CreateAnd(b.CreateLShr(magnitude, lanes.num(bits, kMoreMantissa)), lanes.num(bits, 1));
  llvm::Value *rounded = b.CreateAdd(b.CreateAdd(magnitude, isOdd), lanes.num(bits, 0xfff));
  llvm::Value *normal =
      b.CreateSub(b.CreateLShr(rounded, lanes.num(bits, kMoreMantissa)), lanes.num(bits, kMoreExponent << 10));
  llvm::Value *shifted =
      b.CreateFAdd(b.CreateBitCast(magnitude, single->getType()), llvm::ConstantFP::get(single->getType(), 0.5));
  llvm::Value *subnormal = b.CreateSub(lanes.bits(shifted), lanes.num(bits, half));
  llvm::Value *result = b.CreateSelect(lanes.above(magnitude, leastNormal - 1), normal, subnormal);
  result = b.CreateSelect(lanes.above(magnitude, greatest - 1), lanes.num(bits, kInfinity16), result);
  llvm::Value *payload = b.CreateAnd(b.CreateLShr(magnitude, lanes.num(bits, kMoreMantissa)), lanes.num(bits, 0x3ff));
  llvm::Value *quiet = b.CreateOr(payload, lanes.num(bits, kInfinity16 | kQuiet16));
  result = b.CreateSelect(lanes.above(magnitude, kInfinity32), quiet, result);
  return b.CreateBitCast(b.CreateTrunc(b.CreateOr(result, sign), lanes.of(b.getInt16Ty())), lanes.of(b.getHalfTy()));
}

llvm::Value *multiplyAdd(Lanes &lanes, llvm::Value *x, llvm::Value *y, llvm::Value *z) {
  llvm::IRBuilder<> &b = lanes.b;
  llvm::Type *wide = lanes.of(b.getDoubleTy());
  llvm::Value *product = b.CreateFMul(b.CreateFPExt(x, wide), b.CreateFPExt(y, wide));
  llvm::Value *addend = b.CreateFPExt(z, wide);
  llvm::Value *sum = b.CreateFAdd(product, addend);
  // What the sum lost (Knuth's two-sum).
  llvm::Value *part = b.CreateFSub(sum, product);
  llvm::Value *lost = b.CreateFAdd(b.CreateFSub(product, b.CreateFSub(sum, part)), b.CreateFSub(addend, part));
  // An inexact sum whose last bit is even goes one step towards what it lost. Sums that are not finite lose NaN.
  llvm::Value *bits = lanes.bits(sum);
  llvm::Value *isInexact = b.CreateFCmpONE(lost, llvm::ConstantFP::get(wide, 0.0));
  llvm::Value *isEven = b.CreateICmpEQ(b.CreateAnd(bits, lanes.num(bits, 1)), lanes.num(bits, 0));
  llvm::Value *isOutward = b.CreateICmpSGE(b.CreateXor(bits, lanes.bits(lost)), lanes.num(bits, 0));
  llvm::Value *step = b.CreateSelect(isOutward, lanes.num(bits, 1), lanes.num(bits, ~uint64_t(0)));
  llvm::Value *odd = b.CreateSelect(b.CreateAnd(isInexact, isEven), b.CreateAdd(bits, step), bits);
  return b.CreateFPTrunc(b.CreateBitCast(odd, wide), x->getType());
}

/// Puts what `build` makes of an instruction in its place, or leaves it where that is null.
void replaceEach(llvm::Module &module, llvm::function_ref<llvm::Value *(llvm::Instruction &)> build) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (llvm::Value *value = build(instruction)) {
        instruction.replaceAllUsesWith(value);
        instruction.eraseFromParent();
      }
}

} // namespace

void expandHalfConversions(llvm::Module &module) {
  replaceEach(module, [](llvm::Instruction &instruction) -> llvm::Value * {
    const bool extends = llvm::isa<llvm::FPExtInst>(instruction);
    if (!extends && !llvm::isa<llvm::FPTruncInst>(instruction))
      return nullptr;
    llvm::Value *operand = instruction.getOperand(0);
    llvm::Type *half = (extends ? operand->getType() : instruction.getType())->getScalarType();
    llvm::Type *other = (extends ? instruction.getType() : operand->getType())->getScalarType();
    if (!half->isHalfTy() || !other->isFloatTy())
      return nullptr;
    Lanes lanes(instruction);
    return extends ? extend(lanes, operand) : round(lanes, operand);
  });
}

void expandFusedMultiplyAdds(llvm::Module &module) {
  replaceEach(module, [](llvm::Instruction &instruction) -> llvm::Value * {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || call->getIntrinsicID() != llvm::Intrinsic::fma || !call->getType()->getScalarType()->isFloatTy())
      return nullptr;
    Lanes lanes(instruction);
    return multiplyAdd(lanes, call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2));
  });
}

} // namespace burn::compiler
