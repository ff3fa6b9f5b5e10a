// burn-lower-kernels: each burn.fused becomes functions on flat buffers.
#include "dialects/Burn/Interpreter/Interpreter.h"
#include "passes/Codegen/ContractionOps.h"
#include "passes/Codegen/GpuKernels.h"
#include "passes/Codegen/Kernel.h"
#include "passes/Graph/Accesses.h"
#include "passes/Graph/Import.h"
#include "passes/Graph/Prepare.h"
#include "passes/Lowering/LaunchPlan.h"
#include "passes/Lowering/Passes.h"
#include "runtime/Core/GpuPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <map>
#include <unordered_map>

namespace burn::compiler {
#define GEN_PASS_DEF_LOWERKERNELS
#include "passes/Lowering/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using ir::ClusterKind;

namespace {

// Work below this runs on the calling thread: waking others would cost more.
constexpr int64_t kInlineElements = 1 << 15;
constexpr double kInlineMultiplyAdds = 1 << 19;

class Lowering {
public:
  Lowering(ModuleOp module, func::FuncOp func, const CpuTargetInfo &target)
      : module_(module), func_(func), target_(target), builder_(module.getContext()), plan_(makePlan(func)) {
    builder_.setInsertionPointToEnd(module.getBody());
    firstResult_ = bufferCount();
  }

  LogicalResult run() {
    func::FuncOp prepare = prepareOf(func_);
    if (failed(lower(kLaunchesAttr, kArenaAttr)))
      return failure();
    module_->setAttr(kChecksAttr, builder_.getArrayAttr(checks_));
    if (target_.scalar)
      module_->setAttr(kScalarBytesAttr, builder_.getI64IntegerAttr(plan_.scalarBytes));
    if (!prepare)
      return success();
    // Its results are the derived buffers, which follow those of arguments and results.
    prefix_ = "prepare_";
    func_ = prepare;
    firstResult_ += plan_.results.size();
    return lower(kPrepareLaunchesAttr, kPrepareArenaAttr);
  }

private:
  using Steps = SmallVector<Attribute>;

  // Lowers the function; steps and bytes of its arena become these attributes of the module.
  LogicalResult lower(StringRef launches, StringRef arenaName) {
    const int64_t arena = func_->getAttrOfType<IntegerAttr>(kArenaAttr).getInt();
    kernels_ = 0;
    scratchBytes_ = 0;
    scratchOffset_ = llvm::alignTo(arena, target_.scalar ? core::kGpuBindingAlignment : core::kArenaAlignment);
    WalkResult constants = func_.walk([](ir::ConstantOp constant) {
      // One element that stands for any number of them.
      if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()); dense && dense.isSplat())
        return WalkResult::advance();
      if (auto value = ir::toHostTensor(constant.getValue()); !value) {
        constant.emitOpError(value.status().message());
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (constants.wasInterrupted())
      return failure();
    FailureOr<ArrayAttr> steps = lowerBlock(func_.getBody().front());
    if (failed(steps))
      return failure();
    module_->setAttr(launches, *steps);
    module_->setAttr(arenaName, builder_.getI64IntegerAttr(scratchOffset_ + scratchBytes_));
    // What is known of its kernels and constants names ops that are gone.
    known_.clear();
    globals_.clear();
    func_.erase();
    return success();
  }

  // The steps of a block, in order. Kernels are numbered as makePlan does.
  FailureOr<ArrayAttr> lowerBlock(Block &block, llvm::function_ref<void(Steps &)> atEnd = {}) {
    Steps steps;
    SmallVector<GroupedKernel> group;
    for (Operation &op : block.without_terminator()) {
      LogicalResult lowered = success();
      auto fused = dyn_cast<ir::FusedOp>(op);
      if (!isa<ir::ReshapeOp, ir::ConstantOp>(op) && !(fused && fused->hasAttr(kJoinsAttr)))
        launch(group, steps);
      if (fused)
        lowered = lower(fused, group, steps);
      else if (auto kernel = dyn_cast<ir::CustomKernelOp>(op))
        lowered = lower(kernel, steps);
      else if (auto check = dyn_cast<ir::AssertOp>(op))
        lowered = lower(check, steps);
      else if (auto print = dyn_cast<ir::PrintOp>(op))
        lowered = lower(print, steps);
      else if (auto branch = dyn_cast<ir::IfOp>(op))
        lowered = lower(branch, steps);
      else if (auto loop = dyn_cast<ir::ForOp>(op))
        lowered = lower(loop, steps);
      else if (auto loop = dyn_cast<ir::WhileOp>(op))
        lowered = lower(loop, steps);
      if (failed(lowered))
        return failure();
    }
    launch(group, steps);
    if (atEnd)
      atEnd(steps);
    return builder_.getArrayAttr(steps);
  }

  //===-- Control flow ------------------------------------------------------------------------===//

  void addStep(Steps &steps, std::initializer_list<std::pair<StringRef, Attribute>> entries) {
    SmallVector<NamedAttribute> attributes;
    for (auto [name, value] : entries)
      attributes.push_back(builder_.getNamedAttr(name, value));
    steps.push_back(builder_.getDictionaryAttr(attributes));
  }

  void copy(Steps &steps, Type type, const BufferRef &from, const BufferRef &to) {
    Attribute source = toAttribute(builder_, from), target = toAttribute(builder_, to);
    const int64_t bytes = ir::toTypeDesc(type)->byteSize();
    if (source != target && bytes > 0)
      addStep(steps,
              {{"copy", builder_.getI64IntegerAttr(bytes)}, {"buffers", builder_.getArrayAttr({source, target})}});
  }

  LogicalResult lower(ir::IfOp op, Steps &steps) {
    const auto branch = [&](Region &region) {
      return lowerBlock(region.front(), [&](Steps &inner) {
        for (auto [value, result] : llvm::zip_equal(region.front().getTerminator()->getOperands(), op.getResults()))
          copy(inner, result.getType(), place(value), place(result));
      });
    };
    FailureOr<ArrayAttr> onTrue = branch(op.getOnTrue());
    if (failed(onTrue))
      return failure();
    FailureOr<ArrayAttr> onFalse = branch(op.getOnFalse());
    if (failed(onFalse))
      return failure();
    addStep(steps,
            {{"predicate", toAttribute(builder_, place(op.getPredicate()))}, {"then", *onTrue}, {"else", *onFalse}});
    return success();
  }

  void copyInits(Steps &steps, ValueRange inits, ValueRange results) {
    for (auto [init, result] : llvm::zip_equal(inits, results))
      copy(steps, result.getType(), place(init), place(result));
  }

  // The body of a loop, at whose end the carried values take their new values. Those that are another carried value
  // were given a place to stand aside.
  FailureOr<ArrayAttr> lowerLoopBody(Operation *op, Region &body) {
    return lowerBlock(body.front(), [&](Steps &steps) {
      ArrayRef<int64_t> asides = op->getAttrOfType<DenseI64ArrayAttr>("burn.aside").asArrayRef();
      ValueRange yielded = body.front().getTerminator()->getOperands();
      for (auto [value, aside] : llvm::zip_equal(yielded, asides))
        if (aside >= 0)
          copy(steps, value.getType(), place(value), {BufferRef::Arena, aside, {}});
      for (auto [value, aside, result] : llvm::zip_equal(yielded, asides, op->getResults()))
        copy(steps, value.getType(), aside >= 0 ? BufferRef{BufferRef::Arena, aside, {}} : place(value), place(result));
    });
  }

  LogicalResult lower(ir::ForOp op, Steps &steps) {
    copyInits(steps, op.getInits(), op.getResults());
    const int64_t check = addCheck("burn.for: expects a positive step", op.getLoc());
    FailureOr<ArrayAttr> body = lowerLoopBody(op, op.getBody());
    if (failed(body))
      return failure();
    SmallVector<Attribute> bounds;
    for (Value bound : {op.getLower(), op.getUpper(), op.getStep()})
      bounds.push_back(toAttribute(builder_, place(bound)));
    const unsigned bits = getElementTypeOrSelf(op.getLower().getType()).getIntOrFloatBitWidth();
    addStep(steps, {{"bounds", builder_.getArrayAttr(bounds)},
                    {"bits", builder_.getI64IntegerAttr(bits)},
                    {"index", toAttribute(builder_, place(op.getBody().getArgument(0)))},
                    {"body", *body},
                    {"first_check", builder_.getI64IntegerAttr(check)}});
    return success();
  }

  LogicalResult lower(ir::WhileOp op, Steps &steps) {
    copyInits(steps, op.getInits(), op.getResults());
    FailureOr<ArrayAttr> cond = lowerBlock(op.getCond().front());
    if (failed(cond))
      return failure();
    FailureOr<ArrayAttr> body = lowerLoopBody(op, op.getBody());
    if (failed(body))
      return failure();
    Value predicate = op.getCond().front().getTerminator()->getOperand(0);
    addStep(steps, {{"cond", *cond}, {"predicate", toAttribute(builder_, place(predicate))}, {"body", *body}});
    return success();
  }

  LogicalResult lower(ir::CustomKernelOp op, Steps &steps) {
    if (target_.scalar)
      return op.emitOpError("calls a kernel of the host, which a GPU cannot");
    SmallVector<Attribute> buffers;
    for (Value value : llvm::concat<Value>(SmallVector<Value>(op.getInputs()), SmallVector<Value>(op.getResults())))
      buffers.push_back(toAttribute(builder_, place(value)));
    const int64_t check = addCheck("host kernel '" + op.getKernel().str() + "' failed", op.getLoc());
    addStep(steps, {{"host_call", builder_.getI64IntegerAttr(hostCalls_++)},
                    {"buffers", builder_.getArrayAttr(buffers)},
                    {"first_check", builder_.getI64IntegerAttr(check)}});
    return success();
  }

  LogicalResult lower(ir::AssertOp op, Steps &steps) {
    const int64_t check = addCheck("burn.assert: " + op.getMessage().str(), op.getLoc());
    if (target_.scalar) {
      addStep(steps, {{"buffers", builder_.getArrayAttr({toAttribute(builder_, place(op.getPredicate())),
                                                         toAttribute(builder_, {BufferRef::Error, 0, {}})})},
                      {"checks", builder_.getI64IntegerAttr(1)},
                      {"cluster", builder_.getI64IntegerAttr(core::kGpuNoCluster)},
                      {"first_check", builder_.getI64IntegerAttr(check)},
                      {"func", FlatSymbolRefAttr::get(buildAssert(op.getLoc(), check))},
                      {"tasks", builder_.getI64IntegerAttr(1)}});
      return success();
    }
    addStep(steps, {{"predicate", toAttribute(builder_, place(op.getPredicate()))},
                    {"first_check", builder_.getI64IntegerAttr(check)}});
    return success();
  }

  // A GPU finds out by itself, so that the host need not wait for it: a kernel that looks at the predicate.
  func::FuncOp buildAssert(Location loc, int64_t check) {
    ImplicitLocOpBuilder b(loc, builder_);
    const Type index = b.getIndexType();
    auto type = b.getFunctionType(
        {index, index, MemRefType::get({1}, b.getI8Type()), MemRefType::get({1}, b.getI32Type())}, {});
    auto func = func::FuncOp::create(b, "assert_" + std::to_string(check), type);
    func.setPrivate();
    Block *entry = func.addEntryBlock();
    b.setInsertionPointToStart(entry);
    Value first = arith::ConstantIndexOp::create(b, 0);
    Value holds = memref::LoadOp::create(b, entry->getArgument(2), first);
    Value fails =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, holds, arith::ConstantOp::create(b, b.getI8IntegerAttr(0)));
    auto branch = scf::IfOp::create(b, fails, /*withElseRegion=*/false);
    func::ReturnOp::create(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    Value number = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
    memref::StoreOp::create(b, number, entry->getArgument(3), first);
    return func;
  }

  LogicalResult lower(ir::PrintOp op, Steps &steps) {
    addStep(steps, {{"host_call", builder_.getI64IntegerAttr(hostCalls_++)},
                    {"buffers", builder_.getArrayAttr({toAttribute(builder_, place(op.getValue()))})}});
    return success();
  }

  // Returns the number of a check that is reported at `location`.
  int64_t addCheck(const std::string &message, Location location) {
    std::vector<uint32_t> ids;
    collectLocationIds(location, ids);
    checks_.push_back(builder_.getDictionaryAttr(
        {builder_.getNamedAttr("message", builder_.getStringAttr(message)),
         builder_.getNamedAttr("op", builder_.getI64IntegerAttr(ids.empty() ? 0 : ids.front()))}));
    return checks_.size() - 1;
  }

  //===-- Kernels -----------------------------------------------------------------------------===//

  // A kernel that runs at the same time as others.
  struct GroupedKernel {
    const KernelCode *code;
    SmallVector<Attribute> buffers;
    double work; // 1: enough for the call of another thread
    unsigned number;
    int64_t firstCheck;
  };

  LogicalResult lower(ir::FusedOp fused, SmallVector<GroupedKernel> &group, Steps &steps) {
    const std::string name = prefix_ + "kernel_" + std::to_string(kernels_++);
    const KernelCode *code = knownCode(fused);
    if (!code) {
      FailureOr<KernelCode> made = build(fused, name);
      if (failed(made))
        return failure();
      code = &known_.emplace(hashOf(fused), std::pair(fused, std::move(*made)))->second.second;
    }
    SmallVector<Attribute> buffers;
    for (Value operand : fused.getInputs())
      buffers.push_back(toAttribute(builder_, place(operand)));
    for (Value result : fused.getResults())
      buffers.push_back(toAttribute(builder_, place(result)));
    // There is one error word: of two kernels that write it, none would know whose check has failed.
    if (!code->checks.empty()) {
      if (llvm::any_of(group, [](const GroupedKernel &kernel) { return !kernel.code->checks.empty(); }))
        launch(group, steps);
    }
    if (code->scratchBytes > 0) {
      int64_t taken = 0;
      for (const GroupedKernel &kernel : group)
        taken += llvm::alignTo(kernel.code->scratchBytes, core::kArenaAlignment);
      buffers.push_back(toAttribute(builder_, {BufferRef::Arena, scratchOffset_ + taken, {}}));
      scratchBytes_ = std::max(scratchBytes_, taken + code->scratchBytes);
    }
    if (!code->checks.empty())
      buffers.push_back(toAttribute(builder_, {BufferRef::Error, 0, {}}));
    group.push_back({code, std::move(buffers), workOf(fused), kernels_ - 1, int64_t(checks_.size())});
    for (const std::string &message : code->checks)
      addCheck(message, fused.getLoc());
    return success();
  }

  // Adds the kernels of a group, which is empty then: the same phase of all of them is one step, unless all together
  // are not worth the call of another thread.
  void launch(SmallVector<GroupedKernel> &group, Steps &steps) {
    double work = 0;
    size_t phases = 0;
    for (const GroupedKernel &kernel : group) {
      work += kernel.work;
      phases = std::max(phases, kernel.code->phases.size());
    }
    for (size_t phase = 0; phase < phases; ++phase) {
      SmallVector<const GroupedKernel *> kernels;
      for (const GroupedKernel &kernel : group)
        if (phase < kernel.code->phases.size())
          kernels.push_back(&kernel);
      const bool together = kernels.size() > 1 && work >= 1;
      const auto taskWork = [&](const GroupedKernel *kernel) {
        return kernel->work / double(std::max<int64_t>(kernel->code->phases[phase].tasks, 1));
      };
      // The longest tasks first: threads then end at nearly the same time.
      if (together)
        llvm::sort(kernels, [&](auto *a, auto *b) {
          return std::pair(-taskWork(a), a->number) < std::pair(-taskWork(b), b->number);
        });
      const double least = together ? taskWork(kernels.back()) : 0;
      constexpr double mostWeight = 256;
      Steps launches;
      for (const GroupedKernel *kernel : kernels) {
        const double times = together && least > 0 ? std::round(taskWork(kernel) / least) : 1;
        launches.push_back(launchOf(*kernel, kernel->code->phases[phase], work < 1,
                                    together ? int64_t(std::min(times, mostWeight)) : 0));
      }
      if (together)
        addStep(steps, {{"together", builder_.getArrayAttr(launches)}});
      else
        steps.append(launches);
    }
    group.clear();
  }

  Attribute launchOf(const GroupedKernel &kernel, const KernelPhase &phase, bool isInline, int64_t weight) {
    SmallVector<NamedAttribute> launch;
    launch.push_back(builder_.getNamedAttr("buffers", builder_.getArrayAttr(kernel.buffers)));
    launch.push_back(builder_.getNamedAttr("func", FlatSymbolRefAttr::get(phase.func)));
    launch.push_back(builder_.getNamedAttr("tasks", builder_.getI64IntegerAttr(phase.tasks)));
    if (target_.scalar)
      launch.push_back(builder_.getNamedAttr("cluster", builder_.getI64IntegerAttr(kernel.number)));
    if (phase.invocations)
      launch.push_back(builder_.getNamedAttr("invocations", builder_.getI64IntegerAttr(phase.invocations)));
    if (isInline)
      launch.push_back(builder_.getNamedAttr("inline", builder_.getUnitAttr()));
    if (weight > 0)
      launch.push_back(builder_.getNamedAttr("weight", builder_.getI64IntegerAttr(weight)));
    if (const size_t checks = kernel.code->checks.size()) {
      launch.push_back(builder_.getNamedAttr("checks", builder_.getI64IntegerAttr(checks)));
      launch.push_back(builder_.getNamedAttr("first_check", builder_.getI64IntegerAttr(kernel.firstCheck)));
    }
    return builder_.getDictionaryAttr(launch);
  }

  // What decides over the code of a kernel, apart from what its ops are connected by.
  static size_t hashOf(ir::FusedOp fused) {
    llvm::hash_code hash = llvm::hash_value(static_cast<uint32_t>(fused.getKind()));
    for (Operation &op : fused.getBody().front())
      hash = llvm::hash_combine(hash, op.getName().getAsOpaquePointer(), op.getAttrDictionary().getAsOpaquePointer(),
                                op.getNumOperands());
    return hash;
  }

  static bool haveSameCode(ir::FusedOp a, ir::FusedOp b) {
    // Of the places of results it counts which are new buffers.
    const auto attributes = [](ir::FusedOp fused) {
      NamedAttrList list(fused->getAttrDictionary());
      list.erase(kJoinsAttr);
      SmallVector<bool> isNew;
      for (Attribute place : cast<ArrayAttr>(list.erase("burn.place")))
        isNew.push_back(cast<DictionaryAttr>(place).contains("result"));
      return std::pair(list.getDictionary(fused.getContext()), isNew);
    };
    return a->getOperandTypes() == b->getOperandTypes() && a->getResultTypes() == b->getResultTypes() &&
           attributes(a) == attributes(b) &&
           OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                      OperationEquivalence::IgnoreLocations);
  }

  // The code of an equal kernel before: layers that repeat are compiled once. Kernels of a GPU stand each by itself.
  const KernelCode *knownCode(ir::FusedOp fused) const {
    if (target_.scalar)
      return nullptr;
    const auto [first, last] = known_.equal_range(hashOf(fused));
    for (auto it = first; it != last; ++it)
      if (haveSameCode(it->second.first, fused))
        return &it->second.second;
    return nullptr;
  }

  FailureOr<KernelCode> build(ir::FusedOp fused, StringRef name) {
    switch (fused.getKind()) {
    case ClusterKind::Elementwise:
      return buildElementwiseKernel(builder_, fused, name, target_);
    case ClusterKind::Row:
      if (target_.gpu)
        return buildGpuRowKernel(builder_, fused, name, *target_.gpu);
      return buildRowKernel(builder_, fused, name, target_);
    case ClusterKind::Contraction:
      if (target_.gpu)
        return buildGpuContractionKernel(builder_, fused, name, *target_.gpu);
      return buildContractionKernel(builder_, fused, name, target_);
    case ClusterKind::Single:
      return buildSingleKernel(builder_, fused, name, target_);
    }
    return failure();
  }

  // How much a kernel does; from 1 on it is worth the call of another thread.
  double workOf(ir::FusedOp fused) {
    int64_t largest = 0;
    for (Type type : fused.getResultTypes())
      largest = std::max(largest, cast<RankedTensorType>(type).getNumElements());
    // An elementwise kernel looks at what it needs of its operands, others at all of them.
    if (fused.getKind() != ClusterKind::Elementwise)
      for (Type type : fused.getOperandTypes())
        largest = std::max(largest, cast<RankedTensorType>(type).getNumElements());
    // Sorting looks at each element about as often as their number has bits.
    for (Operation &op : fused.getBody().front())
      if (isa<ir::SortOp, ir::TopkOp>(op))
        largest *= llvm::Log2_64_Ceil(std::max<int64_t>(largest, 2));
    if (fused.getKind() != ClusterKind::Contraction)
      return double(largest) / kInlineElements;
    for (Operation &op : fused.getBody().front())
      if (isa<ir::DotGeneralOp, ir::ConvOp>(op)) {
        const auto count = [](Value value) { return double(cast<RankedTensorType>(value.getType()).getNumElements()); };
        // Instructions for narrow elements do several times as much meanwhile.
        const auto tiling = op.getAttrOfType<DictionaryAttr>(tilingAttrName);
        const double most = kInlineMultiplyAdds * (tiling && tiling.get("dot") ? 8 : 1);
        // sqrt(M*N * M*K * N*K) = M*N*K of a product, and near enough of a convolution.
        return std::sqrt(count(op.getResult(0)) * count(op.getOperand(0)) * count(op.getOperand(1))) / most;
      }
    return 1;
  }

  // Where a value of the function lies.
  BufferRef place(Value value) {
    value = bufferOf(value);
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == &func_.getBody().front() ? argumentPlace(argument.getArgNumber())
                                                             : regionArgumentPlace(argument);
    if (auto constant = value.getDefiningOp<ir::ConstantOp>())
      return {BufferRef::Constant, 0, globalOf(constant)};
    auto result = cast<OpResult>(value);
    auto places = result.getOwner()->getAttrOfType<ArrayAttr>("burn.place");
    auto entry = cast<DictionaryAttr>(places[result.getResultNumber()]);
    if (auto offset = entry.getAs<IntegerAttr>("arena"))
      return {BufferRef::Arena, offset.getInt(), {}};
    if (auto number = entry.getAs<IntegerAttr>("arg"))
      return argumentPlace(number.getInt());
    return {BufferRef::Buffer, firstResult_ + entry.getAs<IntegerAttr>("result").getInt(), {}};
  }

  // Inputs and invariants lie where they are outside; carried values where the results do.
  BufferRef regionArgumentPlace(BlockArgument argument) {
    Operation *op = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (auto branch = dyn_cast<ir::IfOp>(op))
      return place(branch.getInputs()[number]);
    OperandRange invariants = op->getOperands();
    if (auto loop = dyn_cast<ir::ForOp>(op)) {
      if (number == 0)
        return {BufferRef::Arena, op->getAttrOfType<IntegerAttr>("burn.index").getInt(), {}};
      --number;
      invariants = loop.getInvariants();
    } else {
      invariants = cast<ir::WhileOp>(op).getInvariants();
    }
    return number < op->getNumResults() ? place(op->getResult(number))
                                        : place(invariants[number - op->getNumResults()]);
  }

  int64_t bufferCount() const {
    return llvm::count_if(plan_.args, [](const core::PlanArg &arg) { return arg.kind == core::ArgKind::Buffer; });
  }

  BufferRef argumentPlace(int64_t number) const {
    // Derived buffers stand behind all arguments of the function, and behind the buffers of the program's results.
    if (const auto args = int64_t(plan_.args.size()); number >= args)
      return {BufferRef::Buffer, bufferCount() + int64_t(plan_.results.size()) + number - args, {}};
    const core::PlanArg &arg = plan_.args[number];
    if (arg.kind == core::ArgKind::Scalar)
      return {BufferRef::Scalar, arg.offset, {}};
    int64_t buffer = 0;
    for (int64_t i = 0; i < number; ++i)
      buffer += plan_.args[i].kind == core::ArgKind::Buffer;
    return {BufferRef::Buffer, buffer, {}};
  }

  StringRef globalOf(ir::ConstantOp constant) {
    // Equal constants are one.
    auto &symbol = globals_[constant.getValue().getAsOpaquePointer()];
    if (!symbol.empty())
      return symbol;
    symbol = prefix_ + "constant_" + std::to_string(globals_.size() - 1);
    const ir::HostTensor value = *ir::toHostTensor(constant.getValue());
    const StringRef bytes(reinterpret_cast<const char *>(value.bytes.data()), value.bytes.size());
    auto type = LLVM::LLVMArrayType::get(builder_.getI8Type(), bytes.size());
    auto global = LLVM::GlobalOp::create(builder_, constant.getLoc(), type, /*isConstant=*/true,
                                         LLVM::Linkage::Internal, symbol, builder_.getStringAttr(bytes),
                                         /*alignment=*/core::kArenaAlignment);
    // Its bytes are all that counts, so versions of a program may share it.
    global.setUnnamedAddr(LLVM::UnnamedAddr::Global);
    return symbol;
  }

  ModuleOp module_;
  func::FuncOp func_;
  const CpuTargetInfo &target_;
  OpBuilder builder_;
  core::Plan plan_;
  std::string prefix_;      // of symbols of the function
  int64_t firstResult_ = 0; // the buffer of its first result
  SmallVector<Attribute> checks_;
  unsigned kernels_ = 0, hostCalls_ = 0;
  std::unordered_multimap<size_t, std::pair<ir::FusedOp, KernelCode>> known_; // by hashOf
  std::map<const void *, std::string> globals_;                               // by the attribute
  int64_t scratchOffset_ = 0, scratchBytes_ = 0;
};

struct LowerKernels : compiler::impl::LowerKernelsBase<LowerKernels> {
  using LowerKernelsBase::LowerKernelsBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    const bool isPlanned =
        !functions.empty() && llvm::all_of(functions, [](func::FuncOp func) { return func->hasAttr(kArenaAttr); });
    if (!isPlanned || (functions.size() > 1 && (functions.size() > 2 || prepareOf(functions[0]) != functions[1]))) {
      getOperation().emitOpError("expects one function whose memory is planned, and the one that prepares it, if any");
      return signalPassFailure();
    }
    llvm::Expected<CpuTargetInfo> target = describeTarget({triple, cpu, features});
    if (!target) {
      getOperation().emitOpError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    core::Expected<core::GpuTarget> gpu = core::GpuTarget::parse(gpuTarget);
    if (!gpu) {
      getOperation().emitOpError(gpu.status().message());
      return signalPassFailure();
    }
    if (scalar)
      *target = scalarTarget(*gpu);
    if (failed(Lowering(getOperation(), functions[0], *target).run()))
      signalPassFailure();
  }
};

} // namespace
