#include "passes/Lowering/GpuAddresses.h"

#include "runtime/Core/GpuPlan.h"

#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

constexpr auto kPhysical = spirv::StorageClass::PhysicalStorageBuffer;
constexpr uint32_t kAddressBytes = 8;

spirv::PointerType physical(Type pointee) { return spirv::PointerType::get(pointee, kPhysical); }

class AddressKernel {
public:
  AddressKernel(spirv::ModuleOp module, const core::GpuTarget &target) : module_(module), target_(target) {}

  LogicalResult rewrite() {
    collect();
    auto functions = llvm::to_vector(module_.getOps<spirv::FuncOp>());
    if (functions.size() != 1)
      return module_.emitOpError("expects one kernel, has ") << functions.size();
    func_ = functions.front();
    isTable_ = buffers_.size() * kAddressBytes + words_ * 4 > target_.pushConstantBytes;
    makePushConstants();
    readAddresses();
    SmallVector<spirv::AddressOfOp> uses;
    func_.walk([&](spirv::AddressOfOp op) { uses.push_back(op); });
    for (spirv::AddressOfOp op : uses) {
      auto variable = module_.lookupSymbol<spirv::GlobalVariableOp>(op.getVariable());
      LogicalResult done = success();
      if (auto found = bases_.find(variable); found != bases_.end())
        done = replace(op.getPointer(), found->second);
      else if (variable == oldWords_)
        done = moveWords(op);
      else
        continue;
      if (failed(done))
        return failure();
      op.erase();
    }
    for (spirv::GlobalVariableOp variable : buffers_)
      variable.erase();
    if (oldWords_)
      oldWords_.erase();
    Builder b(module_.getContext());
    module_.setAddressingModelAttr(
        spirv::AddressingModelAttr::get(b.getContext(), spirv::AddressingModel::PhysicalStorageBuffer64));
    allowAddresses();
    const auto arguments = isTable_ ? core::GpuArguments::Table : core::GpuArguments::Addresses;
    module_->setAttr(kArgumentsAttr, b.getI64IntegerAttr(static_cast<int64_t>(arguments)));
    module_->setAttr(kWordsAttr, b.getI64IntegerAttr(words_));
    return success();
  }

private:
  // The conversion is not told of them, since it would use them everywhere.
  void allowAddresses() {
    auto env = cast<spirv::TargetEnvAttr>(module_->getAttr(spirv::getTargetEnvAttrName()));
    auto before = env.getTripleAttr();
    SmallVector<spirv::Capability> capabilities(before.getCapabilities());
    capabilities.push_back(spirv::Capability::PhysicalStorageBufferAddresses);
    SmallVector<spirv::Extension> extensions(before.getExtensions());
    extensions.push_back(spirv::Extension::SPV_KHR_physical_storage_buffer);
    auto triple = spirv::VerCapExtAttr::get(before.getVersion(), capabilities, extensions, module_.getContext());
    module_->setAttr(spirv::getTargetEnvAttrName(),
                     spirv::TargetEnvAttr::get(triple, env.getResourceLimits(), env.getClientAPI(), env.getVendorID(),
                                               env.getDeviceType(), env.getDeviceID()));
  }

  // Buffers by their binding, and the words that the kernel takes already.
  void collect() {
    for (auto variable : module_.getOps<spirv::GlobalVariableOp>()) {
      if (variable.storageClass() == spirv::StorageClass::StorageBuffer) {
        buffers_.push_back(variable);
      } else if (variable.storageClass() == spirv::StorageClass::PushConstant) {
        oldWords_ = variable;
        auto block = cast<spirv::StructType>(cast<spirv::PointerType>(variable.getType()).getPointeeType());
        words_ = cast<spirv::ArrayType>(block.getElementType(0)).getNumElements();
      }
    }
    llvm::sort(buffers_, [](auto a, auto b) { return *a.getBinding() < *b.getBinding(); });
  }

  int64_t pushedAddresses() const { return isTable_ ? 1 : int64_t(buffers_.size()); }

  void makePushConstants() {
    OpBuilder b(module_.getBody(), module_.getBody()->begin());
    SmallVector<Type> members(pushedAddresses(), b.getI64Type());
    SmallVector<spirv::StructType::OffsetInfo> offsets;
    for (int64_t i = 0; i < pushedAddresses(); ++i)
      offsets.push_back(i * kAddressBytes);
    if (words_) {
      members.push_back(spirv::ArrayType::get(b.getI32Type(), words_, 4));
      offsets.push_back(pushedAddresses() * kAddressBytes);
    }
    auto block = spirv::PointerType::get(spirv::StructType::get(members, offsets), spirv::StorageClass::PushConstant);
    if (!members.empty())
      pushed_ = spirv::GlobalVariableOp::create(b, func_.getLoc(), block, "arguments", FlatSymbolRefAttr());
  }

  Value index(ImplicitLocOpBuilder &b, int64_t value) {
    return spirv::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }

  void readAddresses() {
    if (buffers_.empty())
      return;
    ImplicitLocOpBuilder b(func_.getLoc(), func_.getContext());
    b.setInsertionPointToStart(&func_.getBody().front());
    Value pushed = spirv::AddressOfOp::create(b, pushed_);
    const auto pushedAddress = [&](int64_t i) -> Value {
      return spirv::LoadOp::create(b, spirv::AccessChainOp::create(b, pushed, ValueRange{index(b, i)}));
    };
    Value table;
    if (isTable_) {
      auto all = spirv::ArrayType::get(b.getI64Type(), buffers_.size(), kAddressBytes);
      auto type = physical(spirv::StructType::get({all}, {0}));
      table = spirv::ConvertUToPtrOp::create(b, type, pushedAddress(0));
    }
    for (auto [i, variable] : llvm::enumerate(buffers_)) {
      Value address;
      if (table) {
        Value entry = spirv::AccessChainOp::create(b, table, ValueRange{index(b, 0), index(b, int64_t(i))});
        auto load = spirv::LoadOp::create(b, entry);
        align(load, kAddressBytes);
        address = load;
      } else {
        address = pushedAddress(int64_t(i));
      }
      const Type pointee = cast<spirv::PointerType>(variable.getType()).getPointeeType();
      bases_[variable] = spirv::ConvertUToPtrOp::create(b, physical(pointee), address);
    }
  }

  template <typename Op> static void align(Op op, uint32_t bytes) {
    op.setMemoryAccess(spirv::MemoryAccess::Aligned);
    op.setAlignment(bytes);
  }

  static uint32_t bytesOf(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8 * (vector ? vector.getNumElements() : 1);
  }

  // Puts a pointer into physical memory in the place of one into a storage buffer, in all that is computed from it.
  LogicalResult replace(Value pointer, Value physicalPointer) {
    for (OpOperand &use : llvm::make_early_inc_range(pointer.getUses())) {
      Operation *user = use.getOwner();
      use.set(physicalPointer);
      if (auto chain = dyn_cast<spirv::AccessChainOp>(user)) {
        const Type pointee = cast<spirv::PointerType>(chain.getType()).getPointeeType();
        chain.getResult().setType(physical(pointee)); // its users read the type of their operand
        if (failed(replace(chain.getResult(), chain.getResult())))
          return failure();
      } else if (auto load = dyn_cast<spirv::LoadOp>(user)) {
        align(load, bytesOf(load.getType()));
      } else if (auto store = dyn_cast<spirv::StoreOp>(user)) {
        align(store, bytesOf(store.getValue().getType()));
      } else if (!isa<spirv::AtomicUMinOp, spirv::AtomicOrOp>(user)) {
        return user->emitOpError("uses a buffer in a way that has no form with addresses");
      }
    }
    return success();
  }

  // The words behind the addresses.
  LogicalResult moveWords(spirv::AddressOfOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value pushed = spirv::AddressOfOp::create(b, pushed_);
    Value member = index(b, pushedAddresses());
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto chain = dyn_cast<spirv::AccessChainOp>(user);
      if (!chain || chain.getIndices().size() != 2)
        return user->emitOpError("uses push constants in a way that has no form behind addresses");
      b.setInsertionPoint(chain);
      chain.replaceAllUsesWith(
          spirv::AccessChainOp::create(b, pushed, ValueRange{member, chain.getIndices()[1]}).getResult());
      chain.erase();
    }
    return success();
  }

  spirv::ModuleOp module_;
  const core::GpuTarget &target_;
  spirv::FuncOp func_;
  SmallVector<spirv::GlobalVariableOp> buffers_;
  spirv::GlobalVariableOp oldWords_, pushed_;
  int64_t words_ = 0;
  bool isTable_ = false;
  llvm::DenseMap<Operation *, Value> bases_;
};

} // namespace

bool compiler::wantsAddresses(spirv::ModuleOp module, const core::GpuTarget &target) {
  // Matrices come with another memory model, under which no driver was seen to run such code.
  if (module.getMemoryModel() != spirv::MemoryModel::GLSL450)
    return false;
  uint64_t buffers = 0, most = 0;
  for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
    if (variable.storageClass() != spirv::StorageClass::StorageBuffer)
      continue;
    auto block = cast<spirv::StructType>(cast<spirv::PointerType>(variable.getType()).getPointeeType());
    auto elements = cast<spirv::ArrayType>(block.getElementType(0));
    ++buffers;
    most = std::max(most, uint64_t(elements.getNumElements()) * elements.getArrayStride());
  }
  return target.takesAddresses(buffers, most);
}

LogicalResult compiler::takeAddresses(spirv::ModuleOp module, const core::GpuTarget &target) {
  return AddressKernel(module, target).rewrite();
}
