// burn-emit-entry: writes the entry point that runs the launch plan.
#include "passes/Lowering/LaunchPlan.h"
#include "passes/Lowering/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace burn::compiler {
#define GEN_PASS_DEF_EMITENTRY
#include "passes/Lowering/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

struct Launch {
  explicit Launch(DictionaryAttr attribute)
      : func(attribute.getAs<FlatSymbolRefAttr>("func").getValue()),
        tasks(attribute.getAs<IntegerAttr>("tasks").getInt()), isInline(attribute.contains("inline")) {
    for (Attribute buffer : attribute.getAs<ArrayAttr>("buffers"))
      buffers.push_back(toBufferRef(buffer));
    if (auto first = attribute.getAs<IntegerAttr>("first_check"))
      firstCheck = first.getInt();
  }

  StringRef func;
  int64_t tasks;
  bool isInline;
  std::optional<int64_t> firstCheck;
  SmallVector<BufferRef> buffers;
};

class EntryBuilder {
public:
  EntryBuilder(ModuleOp module, StringRef entry)
      : module_(module), name_(entry), b_(module.getLoc(), OpBuilder::atBlockEnd(module.getBody())),
        ptr_(LLVM::LLVMPointerType::get(module.getContext())), i64_(b_.getI64Type()), i32_(b_.getI32Type()) {}

  void build(ArrayRef<Launch> launches) {
    parallelFor_ = buildParallelFor();
    SmallVector<LLVM::LLVMFuncOp> tasks;
    for (const Launch &launch : launches)
      tasks.push_back(launch.isInline || launch.tasks <= 1 ? nullptr : buildTask(launch));

    auto type = LLVM::LLVMFunctionType::get(i32_, {ptr_, ptr_, ptr_, ptr_, ptr_});
    auto func = LLVM::LLVMFuncOp::create(b_, name_, type);
    OpBuilder::InsertionGuard guard(b_);
    Block *block = func.addEntryBlock(b_);
    b_.setInsertionPointToStart(block);
    size_t most = 1;
    bool checks = false;
    for (const Launch &launch : launches) {
      most = std::max(most, launch.buffers.size());
      checks |= launch.firstCheck.has_value();
    }
    Value one = constant(1);
    Value pointers = LLVM::AllocaOp::create(b_, ptr_, LLVM::LLVMArrayType::get(ptr_, most), one);
    Value error;
    if (checks) {
      error = LLVM::AllocaOp::create(b_, ptr_, i32_, one);
      LLVM::StoreOp::create(b_, LLVM::ConstantOp::create(b_, i32_, 0), error);
    }
    for (auto [launch, task] : llvm::zip_equal(launches, tasks)) {
      if (launch.tasks == 0)
        continue;
      SmallVector<Value> buffers;
      for (const BufferRef &ref : launch.buffers)
        buffers.push_back(address(func, ref, error));
      if (!task) {
        SmallVector<Value> operands{constant(0), constant(launch.tasks)};
        operands.append(buffers);
        LLVM::CallOp::create(b_, TypeRange(), launch.func, operands);
      } else {
        for (auto [i, buffer] : llvm::enumerate(buffers))
          LLVM::StoreOp::create(b_, buffer, element(pointers, ptr_, i));
        Value taskAddress = LLVM::AddressOfOp::create(b_, ptr_, task.getSymName());
        LLVM::CallOp::create(b_, parallelFor_,
                             ValueRange{func.getArgument(0), constant(launch.tasks), taskAddress, pointers});
      }
      if (launch.firstCheck)
        returnOnError(func, error, *launch.firstCheck);
    }
    LLVM::ReturnOp::create(b_, LLVM::ConstantOp::create(b_, i32_, 0));
  }

private:
  Value constant(int64_t value) { return LLVM::ConstantOp::create(b_, i64_, value); }

  Value element(Value base, Type type, int64_t index) {
    return LLVM::GEPOp::create(b_, ptr_, type, base, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }

  Value bytesFrom(Value base, int64_t offset) {
    return LLVM::GEPOp::create(b_, ptr_, b_.getI8Type(), base, ValueRange{constant(offset)});
  }

  Value address(LLVM::LLVMFuncOp func, const BufferRef &ref, Value error) {
    switch (ref.kind) {
    case BufferRef::Buffer:
      return LLVM::LoadOp::create(b_, ptr_, element(func.getArgument(1), ptr_, ref.index));
    case BufferRef::Scalar:
      return bytesFrom(func.getArgument(3), ref.index);
    case BufferRef::Arena:
      return bytesFrom(func.getArgument(4), ref.index);
    case BufferRef::Constant:
      return LLVM::AddressOfOp::create(b_, ptr_, ref.symbol);
    case BufferRef::Error:
      break;
    }
    return error;
  }

  // A kernel leaves 1 + the position of a failed check of its own; the plan counts over all kernels.
  void returnOnError(LLVM::LLVMFuncOp func, Value error, int64_t firstCheck) {
    Value code = LLVM::LoadOp::create(b_, i32_, error);
    Value zero = LLVM::ConstantOp::create(b_, i32_, 0);
    Value failed = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ne, code, zero);
    Block *current = b_.getInsertionBlock();
    Block *exit = func.addBlock();
    Block *next = func.addBlock();
    b_.setInsertionPointToEnd(current);
    LLVM::CondBrOp::create(b_, failed, exit, next);
    b_.setInsertionPointToStart(exit);
    Value first = LLVM::ConstantOp::create(b_, i32_, firstCheck);
    LLVM::ReturnOp::create(b_, LLVM::AddOp::create(b_, code, first));
    b_.setInsertionPointToStart(next);
  }

  // void task(ptr buffers, i64 begin, i64 end): what the host's parallel_for calls.
  LLVM::LLVMFuncOp buildTask(const Launch &launch) {
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()), {ptr_, i64_, i64_});
    auto func = LLVM::LLVMFuncOp::create(b_, (launch.func + "_task").str(), type, LLVM::Linkage::Internal);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(func.addEntryBlock(b_));
    SmallVector<Value> operands{func.getArgument(1), func.getArgument(2)};
    for (size_t i = 0; i < launch.buffers.size(); ++i)
      operands.push_back(LLVM::LoadOp::create(b_, ptr_, element(func.getArgument(0), ptr_, i)));
    LLVM::CallOp::create(b_, TypeRange(), launch.func, operands);
    LLVM::ReturnOp::create(b_, ValueRange());
    return func;
  }

  // Calls rt->parallel_for, or the task itself where the host has none.
  LLVM::LLVMFuncOp buildParallelFor() {
    auto rtType = LLVM::LLVMStructType::getLiteral(b_.getContext(), {i32_, ptr_, ptr_, ptr_});
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()), {ptr_, i64_, ptr_, ptr_});
    auto func = LLVM::LLVMFuncOp::create(b_, "burn_parallel_for", type, LLVM::Linkage::Internal);
    OpBuilder::InsertionGuard guard(b_);
    Block *entry = func.addEntryBlock(b_);
    Block *serial = func.addBlock(), *parallel = func.addBlock(), *exit = func.addBlock();
    const auto field = [&](int32_t i) -> Value {
      Value place = LLVM::GEPOp::create(b_, ptr_, rtType, func.getArgument(0), ArrayRef<LLVM::GEPArg>{0, i});
      return LLVM::LoadOp::create(b_, ptr_, place);
    };
    b_.setInsertionPointToStart(entry);
    // AOT callers may pass no runtime at all.
    Block *hasRuntime = func.addBlock();
    Value null = LLVM::ZeroOp::create(b_, ptr_);
    Value noRuntime = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::eq, func.getArgument(0), null);
    LLVM::CondBrOp::create(b_, noRuntime, serial, hasRuntime);
    b_.setInsertionPointToStart(hasRuntime);
    Value host = field(2);
    Value noHost = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::eq, host, null);
    LLVM::CondBrOp::create(b_, noHost, serial, parallel);
    auto taskType = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()), {ptr_, i64_, i64_});
    b_.setInsertionPointToStart(serial);
    LLVM::CallOp::create(b_, taskType,
                         ValueRange{func.getArgument(2), func.getArgument(3), constant(0), func.getArgument(1)});
    LLVM::BrOp::create(b_, ValueRange(), exit);
    auto hostType = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()), {ptr_, i64_, ptr_, ptr_});
    b_.setInsertionPointToStart(parallel);
    LLVM::CallOp::create(b_, hostType,
                         ValueRange{host, field(1), func.getArgument(1), func.getArgument(2), func.getArgument(3)});
    LLVM::BrOp::create(b_, ValueRange(), exit);
    b_.setInsertionPointToStart(exit);
    LLVM::ReturnOp::create(b_, ValueRange());
    return func;
  }

  ModuleOp module_;
  std::string name_;
  ImplicitLocOpBuilder b_;
  Type ptr_, i64_, i32_;
  LLVM::LLVMFuncOp parallelFor_;
};

struct EmitEntry : compiler::impl::EmitEntryBase<EmitEntry> {
  using EmitEntryBase::EmitEntryBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto attribute = module->getAttrOfType<ArrayAttr>(kLaunchesAttr);
    if (!attribute) {
      module.emitOpError("has no launch plan; run burn-lower-kernels first");
      return signalPassFailure();
    }
    SmallVector<Launch> launches;
    for (Attribute launch : attribute)
      launches.emplace_back(cast<DictionaryAttr>(launch));
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
      if (!kernel.isExternal())
        kernel.setLinkage(LLVM::Linkage::Internal);
    EntryBuilder(module, entry).build(launches);
    for (StringRef name : {kLaunchesAttr, kArenaAttr, kChecksAttr})
      module->removeAttr(name);
  }
};

} // namespace
