// burn-emit-entry: writes the entry point that runs the launch plan.
#include "passes/Lowering/LaunchPlan.h"
#include "passes/Lowering/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

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
    if (auto given = attribute.getAs<IntegerAttr>("weight"))
      weight = given.getInt();
  }

  StringRef func;
  int64_t tasks;
  bool isInline;
  int64_t weight = 1;
  std::optional<int64_t> firstCheck;
  SmallVector<BufferRef> buffers;
};

// Calls `fn` for every dictionary of steps, those inside of control flow too, in order; not for the kernels of a group.
void forEachStep(ArrayAttr steps, llvm::function_ref<void(DictionaryAttr)> fn) {
  for (Attribute attribute : steps) {
    auto step = cast<DictionaryAttr>(attribute);
    fn(step);
    for (StringRef inner : {"then", "else", "cond", "body"})
      if (auto list = step.getAs<ArrayAttr>(inner))
        forEachStep(list, fn);
  }
}

class EntryBuilder {
public:
  explicit EntryBuilder(ModuleOp module)
      : module_(module), b_(module.getLoc(), OpBuilder::atBlockEnd(module.getBody())),
        ptr_(LLVM::LLVMPointerType::get(module.getContext())), i64_(b_.getI64Type()), i32_(b_.getI32Type()) {
    parallelFor_ = buildParallelFor();
  }

  void build(StringRef name, ArrayAttr steps) {
    size_t most = 1;
    bool checks = false;
    error_ = nullptr;
    forEachStep(steps, [&](DictionaryAttr step) {
      if (step.contains("host_call"))
        most = std::max<size_t>(most, step.getAs<ArrayAttr>("buffers").size());
      if (auto together = step.getAs<ArrayAttr>("together")) {
        const SmallVector<Launch> launches = toLaunches(together);
        if (!groups_.contains(together))
          groups_[together] = buildGroupTask(launches);
        size_t buffers = 0;
        for (const Launch &launch : launches) {
          buffers += launch.buffers.size();
          checks |= launch.firstCheck.has_value();
        }
        most = std::max(most, buffers);
      }
      if (!step.contains("func"))
        return;
      const Launch launch(step);
      if (!launch.isInline && launch.tasks > 1)
        if (LLVM::LLVMFuncOp &task = tasks_[launch.func]; !task) // equal kernels share one
          task = buildTask(launch);
      most = std::max(most, launch.buffers.size());
      checks |= launch.firstCheck.has_value();
    });

    auto type = LLVM::LLVMFunctionType::get(i32_, {ptr_, ptr_, ptr_, ptr_, ptr_});
    func_ = LLVM::LLVMFuncOp::create(b_, name, type);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(func_.addEntryBlock(b_));
    Value one = constant(1);
    pointers_ = LLVM::AllocaOp::create(b_, ptr_, LLVM::LLVMArrayType::get(ptr_, most), one);
    if (checks) {
      error_ = LLVM::AllocaOp::create(b_, ptr_, i32_, one);
      LLVM::StoreOp::create(b_, LLVM::ConstantOp::create(b_, i32_, 0), error_);
    }
    emit(steps);
    LLVM::ReturnOp::create(b_, LLVM::ConstantOp::create(b_, i32_, 0));
  }

private:
  void emit(ArrayAttr steps) {
    for (Attribute attribute : steps) {
      auto step = cast<DictionaryAttr>(attribute);
      if (step.contains("func"))
        emitLaunch(Launch(step));
      else if (auto together = step.getAs<ArrayAttr>("together"))
        emitGroup(together);
      else if (step.contains("host_call"))
        emitHostCall(step);
      else if (step.contains("copy"))
        emitCopy(step);
      else if (step.contains("bounds"))
        emitFor(step);
      else if (step.contains("cond"))
        emitWhile(step);
      else if (step.contains("first_check"))
        emitAssert(step);
      else
        emitIf(step);
    }
  }

  void emitLaunch(const Launch &launch) {
    if (launch.tasks == 0)
      return;
    SmallVector<Value> buffers;
    for (const BufferRef &ref : launch.buffers)
      buffers.push_back(address(ref));
    LLVM::LLVMFuncOp task = tasks_.lookup(launch.func);
    if (!task) {
      SmallVector<Value> operands{constant(0), constant(launch.tasks)};
      operands.append(buffers);
      LLVM::CallOp::create(b_, TypeRange(), launch.func, operands);
    } else {
      runInParallel(task, launch.tasks, buffers);
    }
    emitCheck(launch);
  }

  static SmallVector<Launch> toLaunches(ArrayAttr together) {
    SmallVector<Launch> launches;
    for (Attribute attribute : together)
      launches.emplace_back(cast<DictionaryAttr>(attribute));
    return launches;
  }

  // The tasks of all kernels of a group, one after another, in one loop.
  void emitGroup(ArrayAttr together) {
    int64_t tasks = 0;
    SmallVector<Value> buffers;
    const SmallVector<Launch> launches = toLaunches(together);
    for (const Launch &launch : launches) {
      tasks += launch.tasks * launch.weight;
      for (const BufferRef &ref : launch.buffers)
        buffers.push_back(address(ref));
    }
    if (tasks > 0)
      runInParallel(groups_.lookup(together), tasks, buffers);
    for (const Launch &launch : launches)
      emitCheck(launch);
  }

  void runInParallel(LLVM::LLVMFuncOp task, int64_t tasks, ArrayRef<Value> buffers) {
    for (auto [i, buffer] : llvm::enumerate(buffers))
      LLVM::StoreOp::create(b_, buffer, element(pointers_, ptr_, i));
    Value taskAddress = LLVM::AddressOfOp::create(b_, ptr_, task.getSymName());
    LLVM::CallOp::create(b_, parallelFor_, ValueRange{func_.getArgument(0), constant(tasks), taskAddress, pointers_});
  }

  void emitCheck(const Launch &launch) {
    if (!launch.firstCheck || launch.tasks == 0)
      return;
    // A kernel leaves 1 + the position of a failed check of its own; the plan counts over all kernels.
    Value code = LLVM::LoadOp::create(b_, i32_, error_);
    Value failed = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ne, code, LLVM::ConstantOp::create(b_, i32_, 0));
    Value first = LLVM::ConstantOp::create(b_, i32_, *launch.firstCheck);
    returnIf(failed, LLVM::AddOp::create(b_, code, first));
  }

  // Where the host has no such function, or is none, a call with a check fails, and one without is left out.
  void emitHostCall(DictionaryAttr step) {
    auto buffers = step.getAs<ArrayAttr>("buffers");
    for (auto [i, buffer] : llvm::enumerate(buffers))
      LLVM::StoreOp::create(b_, address(toBufferRef(buffer)), element(pointers_, ptr_, i));
    auto check = step.getAs<IntegerAttr>("first_check");
    Value failure = check ? LLVM::ConstantOp::create(b_, i32_, 1 + check.getInt()) : nullptr;
    Block *next = check ? nullptr : func_.addBlock();
    const auto leaveIf = [&](Value missing) {
      if (check)
        return returnIf(missing, failure);
      Block *here = b_.getInsertionBlock(), *present = func_.addBlock();
      b_.setInsertionPointToEnd(here);
      LLVM::CondBrOp::create(b_, missing, next, present);
      b_.setInsertionPointToStart(present);
    };
    Value null = LLVM::ZeroOp::create(b_, ptr_), rt = func_.getArgument(0);
    leaveIf(LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::eq, rt, null));
    Value function = runtimeField(rt, 3);
    leaveIf(LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::eq, function, null));
    auto type = LLVM::LLVMFunctionType::get(i32_, {ptr_, i32_, ptr_, i64_});
    Value id = LLVM::ConstantOp::create(b_, i32_, step.getAs<IntegerAttr>("host_call").getInt());
    auto call = LLVM::CallOp::create(
        b_, type, ValueRange{function, runtimeField(rt, 1), id, pointers_, constant(buffers.size())});
    if (!check) {
      LLVM::BrOp::create(b_, ValueRange(), next);
      b_.setInsertionPointToStart(next);
      return;
    }
    Value zero = LLVM::ConstantOp::create(b_, i32_, 0);
    returnIf(LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ne, call.getResult(), zero), failure);
  }

  void emitAssert(DictionaryAttr step) {
    Value failed = LLVM::XOrOp::create(b_, predicate(step), LLVM::ConstantOp::create(b_, b_.getI1Type(), 1));
    returnIf(failed, LLVM::ConstantOp::create(b_, i32_, 1 + step.getAs<IntegerAttr>("first_check").getInt()));
  }

  // A field of the burn_rt.
  Value runtimeField(Value rt, int32_t i) {
    auto type = LLVM::LLVMStructType::getLiteral(b_.getContext(), {i32_, ptr_, ptr_, ptr_});
    return LLVM::LoadOp::create(b_, ptr_, LLVM::GEPOp::create(b_, ptr_, type, rt, ArrayRef<LLVM::GEPArg>{0, i}));
  }

  void emitCopy(DictionaryAttr step) {
    auto buffers = step.getAs<ArrayAttr>("buffers");
    Value from = address(toBufferRef(buffers[0])), to = address(toBufferRef(buffers[1]));
    LLVM::MemcpyOp::create(b_, to, from, constant(step.getAs<IntegerAttr>("copy").getInt()), /*isVolatile=*/false);
  }

  void emitIf(DictionaryAttr step) {
    Value taken = predicate(step);
    Block *here = b_.getInsertionBlock();
    Block *onTrue = func_.addBlock(), *onFalse = func_.addBlock(), *next = func_.addBlock();
    b_.setInsertionPointToEnd(here);
    LLVM::CondBrOp::create(b_, taken, onTrue, onFalse);
    for (auto [block, steps] : {std::pair(onTrue, "then"), std::pair(onFalse, "else")}) {
      b_.setInsertionPointToStart(block);
      emit(step.getAs<ArrayAttr>(steps));
      LLVM::BrOp::create(b_, ValueRange(), next);
    }
    b_.setInsertionPointToStart(next);
  }

  // The number of iterations is known before the first, as an unsigned number: neither it nor an index overflows.
  void emitFor(DictionaryAttr step) {
    const Type type = b_.getIntegerType(step.getAs<IntegerAttr>("bits").getInt());
    const auto load = [&](Attribute bound) -> Value {
      Value value = LLVM::LoadOp::create(b_, type, address(toBufferRef(bound)));
      return type == i64_ ? value : LLVM::SExtOp::create(b_, i64_, value).getResult();
    };
    auto bounds = step.getAs<ArrayAttr>("bounds");
    Value lower = load(bounds[0]), upper = load(bounds[1]), stride = load(bounds[2]);
    Value zero = constant(0), one = constant(1);
    Value wrongStep = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::sle, stride, zero);
    returnIf(wrongStep, LLVM::ConstantOp::create(b_, i32_, 1 + step.getAs<IntegerAttr>("first_check").getInt()));
    Value any = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::slt, lower, upper);
    Value distance = LLVM::SubOp::create(b_, LLVM::SubOp::create(b_, upper, lower), one);
    Value trips = LLVM::AddOp::create(b_, LLVM::UDivOp::create(b_, distance, stride), one);
    Value count = LLVM::SelectOp::create(b_, any, trips, zero);

    Block *here = b_.getInsertionBlock();
    Block *head = func_.addBlock(), *body = func_.addBlock(), *next = func_.addBlock();
    Value trip = head->addArgument(i64_, b_.getLoc());
    b_.setInsertionPointToEnd(here);
    LLVM::BrOp::create(b_, zero, head);
    b_.setInsertionPointToStart(head);
    Value more = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ult, trip, count);
    LLVM::CondBrOp::create(b_, more, body, next);
    b_.setInsertionPointToStart(body);
    Value index = LLVM::AddOp::create(b_, lower, LLVM::MulOp::create(b_, trip, stride));
    if (type != i64_)
      index = LLVM::TruncOp::create(b_, type, index);
    LLVM::StoreOp::create(b_, index, address(toBufferRef(step.get("index"))));
    emit(step.getAs<ArrayAttr>("body"));
    LLVM::BrOp::create(b_, LLVM::AddOp::create(b_, trip, one).getResult(), head);
    b_.setInsertionPointToStart(next);
  }

  void emitWhile(DictionaryAttr step) {
    Block *here = b_.getInsertionBlock();
    Block *head = func_.addBlock(), *body = func_.addBlock(), *next = func_.addBlock();
    b_.setInsertionPointToEnd(here);
    LLVM::BrOp::create(b_, ValueRange(), head);
    b_.setInsertionPointToStart(head);
    emit(step.getAs<ArrayAttr>("cond"));
    LLVM::CondBrOp::create(b_, predicate(step), body, next);
    b_.setInsertionPointToStart(body);
    emit(step.getAs<ArrayAttr>("body"));
    LLVM::BrOp::create(b_, ValueRange(), head);
    b_.setInsertionPointToStart(next);
  }

  // The boolean scalar that decides.
  Value predicate(DictionaryAttr step) {
    Value byte = LLVM::LoadOp::create(b_, b_.getI8Type(), address(toBufferRef(step.get("predicate"))));
    return LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ne, byte, LLVM::ConstantOp::create(b_, b_.getI8Type(), 0));
  }

  void returnIf(Value failed, Value code) {
    Block *here = b_.getInsertionBlock();
    Block *exit = func_.addBlock(), *next = func_.addBlock();
    b_.setInsertionPointToEnd(here);
    LLVM::CondBrOp::create(b_, failed, exit, next);
    b_.setInsertionPointToStart(exit);
    LLVM::ReturnOp::create(b_, code);
    b_.setInsertionPointToStart(next);
  }

  Value constant(int64_t value) { return LLVM::ConstantOp::create(b_, i64_, value); }

  Value element(Value base, Type type, int64_t index) {
    return LLVM::GEPOp::create(b_, ptr_, type, base, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }

  Value bytesFrom(Value base, int64_t offset) {
    return LLVM::GEPOp::create(b_, ptr_, b_.getI8Type(), base, ValueRange{constant(offset)});
  }

  Value address(const BufferRef &ref) {
    switch (ref.kind) {
    case BufferRef::Buffer:
      return LLVM::LoadOp::create(b_, ptr_, element(func_.getArgument(1), ptr_, ref.index));
    case BufferRef::Scalar:
      return bytesFrom(func_.getArgument(3), ref.index);
    case BufferRef::Arena:
      return bytesFrom(func_.getArgument(4), ref.index);
    case BufferRef::Constant:
      return LLVM::AddressOfOp::create(b_, ptr_, ref.symbol);
    case BufferRef::Error:
      break;
    }
    return error_;
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

  // The same over the tasks of several kernels, one kernel after another. The loop counts in units of the shortest
  // tasks, so that threads get equal shares of the work: a longer one counts as several, the first of which runs it.
  LLVM::LLVMFuncOp buildGroupTask(ArrayRef<Launch> launches) {
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()), {ptr_, i64_, i64_});
    const std::string name = "group_" + std::to_string(groupCount_++) + "_task";
    auto func = LLVM::LLVMFuncOp::create(b_, name, type, LLVM::Linkage::Internal);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(func.addEntryBlock(b_));
    int64_t before = 0;
    size_t buffer = 0;
    for (const Launch &launch : launches) {
      // Tasks that begin within the range. A division that rounds up; below 0 it does not matter how.
      const auto firstFrom = [&](Value at) -> Value {
        at = LLVM::SubOp::create(b_, at, constant(before - (launch.weight - 1)));
        return launch.weight == 1 ? at : LLVM::SDivOp::create(b_, at, constant(launch.weight)).getResult();
      };
      Value begin = LLVM::SMaxOp::create(b_, firstFrom(func.getArgument(1)), constant(0));
      Value end = LLVM::SMinOp::create(b_, firstFrom(func.getArgument(2)), constant(launch.tasks));
      Value any = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::slt, begin, end);
      Block *run = func.addBlock(), *next = func.addBlock();
      LLVM::CondBrOp::create(b_, any, run, next);
      b_.setInsertionPointToStart(run);
      SmallVector<Value> operands{begin, end};
      for (size_t i = 0; i < launch.buffers.size(); ++i)
        operands.push_back(LLVM::LoadOp::create(b_, ptr_, element(func.getArgument(0), ptr_, buffer++)));
      LLVM::CallOp::create(b_, TypeRange(), launch.func, operands);
      LLVM::BrOp::create(b_, ValueRange(), next);
      b_.setInsertionPointToStart(next);
      before += launch.tasks * launch.weight;
    }
    LLVM::ReturnOp::create(b_, ValueRange());
    return func;
  }

  // Calls rt->parallel_for, or the task itself where the host has none.
  LLVM::LLVMFuncOp buildParallelFor() {
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()), {ptr_, i64_, ptr_, ptr_});
    auto func = LLVM::LLVMFuncOp::create(b_, "burn_parallel_for", type, LLVM::Linkage::Internal);
    OpBuilder::InsertionGuard guard(b_);
    Block *entry = func.addEntryBlock(b_);
    Block *serial = func.addBlock(), *parallel = func.addBlock(), *exit = func.addBlock();
    b_.setInsertionPointToStart(entry);
    // AOT callers may pass no runtime at all.
    Block *hasRuntime = func.addBlock();
    Value null = LLVM::ZeroOp::create(b_, ptr_);
    Value noRuntime = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::eq, func.getArgument(0), null);
    LLVM::CondBrOp::create(b_, noRuntime, serial, hasRuntime);
    b_.setInsertionPointToStart(hasRuntime);
    Value host = runtimeField(func.getArgument(0), 2);
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
                         ValueRange{host, runtimeField(func.getArgument(0), 1), func.getArgument(1),
                                    func.getArgument(2), func.getArgument(3)});
    LLVM::BrOp::create(b_, ValueRange(), exit);
    b_.setInsertionPointToStart(exit);
    LLVM::ReturnOp::create(b_, ValueRange());
    return func;
  }

  ModuleOp module_;
  ImplicitLocOpBuilder b_;
  Type ptr_, i64_, i32_;
  LLVM::LLVMFuncOp parallelFor_, func_;
  llvm::StringMap<LLVM::LLVMFuncOp> tasks_;            // by kernel
  llvm::DenseMap<Attribute, LLVM::LLVMFuncOp> groups_; // by the list of launches
  unsigned groupCount_ = 0;
  Value pointers_; // the buffers of the kernel that runs
  Value error_;    // the word into which kernels write a failed check
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
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
      if (!kernel.isExternal())
        kernel.setLinkage(LLVM::Linkage::Internal);
    EntryBuilder builder(module);
    builder.build(entry, attribute);
    if (auto steps = module->getAttrOfType<ArrayAttr>(kPrepareLaunchesAttr))
      builder.build(prepareEntry, steps);
    for (StringRef name : {kLaunchesAttr, kArenaAttr, kChecksAttr, kPrepareLaunchesAttr, kPrepareArenaAttr})
      module->removeAttr(name);
  }
};

} // namespace
