#include "passes/Targets/Cpu/MaskedStores.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
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

} // namespace

void splitSingleLaneStores(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
        auto *store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store)
          continue;
        llvm::Value *value = store->getArgOperand(0), *place = store->getArgOperand(1);
        auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
        auto *mask = llvm::dyn_cast<llvm::Constant>(store->getArgOperand(2));
        if (!type || !mask)
          continue;
        const std::optional<unsigned> lane = singleLane(*mask, type->getNumElements());
        if (!lane)
          continue;
        llvm::IRBuilder<> builder(store);
        llvm::Value *element = builder.CreateExtractElement(value, *lane);
        const uint64_t offset = *lane * uint64_t(type->getScalarSizeInBits() / 8);
        builder.CreateAlignedStore(element, builder.CreatePtrAdd(place, builder.getInt64(offset)),
                                   llvm::commonAlignment(store->getParamAlign(1).valueOrOne(), offset));
        store->eraseFromParent();
      }
}

} // namespace burn::compiler
