#include "passes/Targets/Cpu/MaskedMemory.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace burn::compiler {
namespace {

/// The only lane that is set, if there is exactly one.
std::optional<unsigned> singleLane(const llvm::Constant &mask, unsigned lanes) {
  std::optional<unsigned> single;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const llvm::Constant *element = mask.getAggregateElement(lane);
    if (!element || element->isNullValue())
      continue;
    if (single)
      return std::nullopt;
    single = lane;
  }
  return single;
}

/// Whether a lane of a mask is off whatever its conditions are.
bool isOff(const llvm::Value *mask, unsigned lane, unsigned depth = 0) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(mask)) {
    const llvm::Constant *element = constant->getAggregateElement(lane);
    return element && element->isNullValue();
  }
  constexpr unsigned deepest = 8;
  if (depth == deepest)
    return false;
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(mask))
    return isOff(select->getTrueValue(), lane, depth + 1) && isOff(select->getFalseValue(), lane, depth + 1);
  auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(mask);
  return binary && binary->getOpcode() == llvm::Instruction::And &&
         (isOff(binary->getOperand(0), lane, depth + 1) || isOff(binary->getOperand(1), lane, depth + 1));
}

/// Loads one register after the other, those that have no lane left out.
llvm::Value *loadRegisters(llvm::IntrinsicInst &load, llvm::FixedVectorType &type, unsigned perRegister,
                           llvm::ArrayRef<bool> empty) {
  llvm::IRBuilder<> builder(&load);
  llvm::Value *place = load.getArgOperand(0), *mask = load.getArgOperand(1), *result = load.getArgOperand(2);
  const unsigned lanes = type.getNumElements();
  auto *part = llvm::FixedVectorType::get(type.getElementType(), perRegister);
  for (unsigned chunk = 0; chunk < empty.size(); ++chunk) {
    if (empty[chunk])
      continue;
    const unsigned first = chunk * perRegister;
    llvm::SmallVector<int> taken, placed, merged;
    for (unsigned lane = 0; lane < perRegister; ++lane)
      taken.push_back(first + lane);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const bool inside = lane >= first && lane < first + perRegister;
      placed.push_back(inside ? int(lane - first) : -1);
      merged.push_back(inside ? lanes + lane : lane);
    }
    const uint64_t offset = uint64_t(first) * type.getScalarSizeInBits() / 8;
    llvm::Value *loaded =
        builder.CreateMaskedLoad(part, builder.CreatePtrAdd(place, builder.getInt64(offset)),
                                 llvm::commonAlignment(load.getParamAlign(0).valueOrOne(), offset),
                                 builder.CreateShuffleVector(mask, taken), builder.CreateShuffleVector(result, taken));
    result = builder.CreateShuffleVector(result, builder.CreateShuffleVector(loaded, placed), merged);
  }
  return result;
}

constexpr unsigned kLeastRegisterBits = 128, kMostRegisterBits = 512;

/// The value itself, of which the code generator only knows that it is in vector registers.
llvm::Value *opaque(llvm::IRBuilder<> &builder, llvm::Value *value) {
  auto *type = llvm::cast<llvm::FixedVectorType>(value->getType());
  const unsigned bits = type->getScalarSizeInBits(), lanes = type->getNumElements();
  llvm::Value *whole = builder.CreateBitCast(value, llvm::FixedVectorType::get(builder.getIntNTy(bits), lanes));
  // The first lanes of the joined parts are those of the value, whatever the last part adds.
  const unsigned perPart =
      std::clamp<unsigned>(llvm::bit_ceil(bits * lanes), kLeastRegisterBits, kMostRegisterBits) / bits;
  auto *part = llvm::FixedVectorType::get(builder.getIntNTy(bits), perPart);
  auto *none = llvm::InlineAsm::get(llvm::FunctionType::get(part, {part}, false), "", "=v,0", /*hasSideEffects=*/false);
  llvm::Value *result = llvm::PoisonValue::get(whole->getType());
  for (unsigned first = 0; first < lanes; first += perPart) {
    llvm::SmallVector<int> taken(perPart, -1), placed(lanes, -1), merged = llvm::to_vector(llvm::seq<int>(lanes));
    for (unsigned lane = first; lane < std::min(first + perPart, lanes); ++lane) {
      taken[lane - first] = lane;
      placed[lane] = lane - first;
      merged[lane] = lanes + lane;
    }
    llvm::Value *held = builder.CreateCall(none, {builder.CreateShuffleVector(whole, taken)});
    result = builder.CreateShuffleVector(result, builder.CreateShuffleVector(held, placed), merged);
  }
  return builder.CreateBitCast(result, type);
}

/// Whether a value is computed with lane by lane. What LLVM makes of conversions and shuffles of a value that it does
/// not see loaded it cannot always select.
bool isComputedWith(const llvm::Value *value) {
  return llvm::any_of(value->users(), [](const llvm::User *user) {
    return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::SelectInst>(user) ||
           (llvm::isa<llvm::IntrinsicInst>(user) && !user->getType()->isVoidTy());
  });
}

/// Calls `fn` for each call of an intrinsic, which it may replace.
void forEach(llvm::Module &module, llvm::Intrinsic::ID id, llvm::function_ref<void(llvm::IntrinsicInst *)> fn) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block))
        if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction); call && call->getIntrinsicID() == id)
          fn(call);
}

} // namespace

void splitMaskedLoads(llvm::Module &module, unsigned registerBytes) {
  forEach(module, llvm::Intrinsic::masked_load, [&](llvm::IntrinsicInst *load) {
    auto *type = llvm::dyn_cast<llvm::FixedVectorType>(load->getType());
    llvm::Value *mask = load->getArgOperand(1);
    if (!type || type->getScalarSizeInBits() < 32 || llvm::isa<llvm::Constant>(mask))
      return;
    const unsigned perRegister = registerBytes * 8 / type->getScalarSizeInBits();
    const unsigned lanes = type->getNumElements();
    if (lanes <= perRegister || lanes % perRegister != 0)
      return;
    llvm::SmallVector<bool> empty(lanes / perRegister, true);
    for (unsigned lane = 0; lane < lanes; ++lane)
      empty[lane / perRegister] = empty[lane / perRegister] && isOff(mask, lane);
    if (llvm::none_of(empty, [](bool each) { return each; }))
      return;
    load->replaceAllUsesWith(loadRegisters(*load, *type, perRegister, empty));
    load->eraseFromParent();
  });
}

void splitSingleLaneStores(llvm::Module &module) {
  forEach(module, llvm::Intrinsic::masked_store, [&](llvm::IntrinsicInst *store) {
    llvm::Value *value = store->getArgOperand(0), *place = store->getArgOperand(1);
    auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    auto *mask = llvm::dyn_cast<llvm::Constant>(store->getArgOperand(2));
    if (!type || !mask)
      return;
    const std::optional<unsigned> lane = singleLane(*mask, type->getNumElements());
    if (!lane)
      return;
    llvm::IRBuilder<> builder(store);
    llvm::Value *element = builder.CreateExtractElement(value, *lane);
    const uint64_t offset = *lane * uint64_t(type->getScalarSizeInBits() / 8);
    builder.CreateAlignedStore(element, builder.CreatePtrAdd(place, builder.getInt64(offset)),
                               llvm::commonAlignment(store->getParamAlign(1).valueOrOne(), offset));
    store->eraseFromParent();
  });
}

void holdMaskedLoads(llvm::Module &module) {
  forEach(module, llvm::Intrinsic::masked_load, [&](llvm::IntrinsicInst *load) {
    auto *type = llvm::dyn_cast<llvm::FixedVectorType>(load->getType());
    if (!type || type->getScalarSizeInBits() % 8 != 0 || type->getElementType()->isPointerTy() || !isComputedWith(load))
      return;
    llvm::IRBuilder<> builder(load->getNextNode());
    llvm::SmallVector<llvm::Use *> uses = llvm::map_to_vector(load->uses(), [](llvm::Use &use) { return &use; });
    llvm::Value *held = opaque(builder, load);
    for (llvm::Use *use : uses)
      use->set(held);
  });
}

} // namespace burn::compiler
