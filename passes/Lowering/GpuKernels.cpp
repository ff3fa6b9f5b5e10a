// burn-gpu-kernels: the phases of kernels become kernels in the gpu dialect.
#include "passes/Lowering/LaunchPlan.h"
#include "passes/Lowering/LoopBound.h"
#include "passes/Lowering/Passes.h"
#include "runtime/Core/GpuPlan.h"
#include "runtime/Core/GpuTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>

namespace burn::compiler {
#define GEN_PASS_DEF_GPUKERNELS
#include "passes/Lowering/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// Invocations of a workgroup where each is a task: few, so that small kernels are spread over the GPU, and more where
// there is work for all of it, since workgroups cost time to begin.
constexpr int64_t kWorkgroup = 64, kLargeWorkgroup = 256, kLargeGrid = 1024;

int64_t workgroupOf(int64_t tasks, const core::GpuTarget &gpu) {
  const bool isLarge = tasks >= kLargeGrid * kLargeWorkgroup && gpu.maxInvocations >= kLargeWorkgroup &&
                       gpu.maxWorkgroup[0] >= kLargeWorkgroup;
  return isLarge ? kLargeWorkgroup : kWorkgroup;
}

// The feature that a type in registers or in memory needs; 0: none.
uint32_t featureOf(Type type, bool inMemory) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return featureOf(memref.getElementType(), true);
  const Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrFloat())
    return 0;
  const unsigned bits = element.getIntOrFloatBitWidth();
  const bool isFloat = isa<FloatType>(element);
  uint32_t features = 0;
  if (bits == 64)
    features |= isFloat ? core::kGpuFloat64 : core::kGpuInt64;
  if (bits == 16)
    features |= isFloat ? core::kGpuFloat16 : core::kGpuInt16;
  if (bits == 8)
    features |= core::kGpuInt8;
  if (inMemory && bits == 16)
    features |= core::kGpuStorage16;
  if (inMemory && bits == 8)
    features |= core::kGpuStorage8;
  return features;
}

Type elementOf(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return getElementTypeOrSelf(memref ? memref.getElementType() : type);
}

int64_t bytesOf(MemRefType type) {
  auto vector = dyn_cast<VectorType>(type.getElementType());
  const int64_t elements = type.getNumElements() * (vector ? vector.getNumElements() : 1);
  return elements * getElementTypeOrSelf(type.getElementType()).getIntOrFloatBitWidth() / 8;
}

// One storage buffer of a kernel.
struct Binding {
  BufferRef ref;
  MemRefType type;
  Value replaced;
};

// The checks that a kernel makes, by their numbers in the plan.
struct Checks {
  int64_t first = 0, count = 0;
};

class Outliner {
public:
  Outliner(ModuleOp module, const core::GpuTarget &target) : module_(module), target_(target), symbols_(module) {}

  FailureOr<ArrayAttr> outline(ArrayAttr steps) {
    Builder b(module_.getContext());
    SmallVector<Attribute> result;
    for (Attribute attribute : steps) {
      auto step = cast<DictionaryAttr>(attribute);
      if (step.contains("func")) {
        FailureOr<DictionaryAttr> launch = outlineLaunch(step);
        if (failed(launch))
          return failure();
        if (*launch)
          result.push_back(*launch);
        continue;
      }
      NamedAttrList entries(step);
      for (StringRef inner : {"then", "else", "cond", "body"})
        if (auto list = step.getAs<ArrayAttr>(inner)) {
          FailureOr<ArrayAttr> outlined = outline(list);
          if (failed(outlined))
            return failure();
          entries.set(inner, *outlined);
        }
      result.push_back(entries.getDictionary(module_.getContext()));
    }
    return b.getArrayAttr(result);
  }

  uint32_t features() const { return features_; }

private:
  // Null where there is nothing to launch.
  FailureOr<DictionaryAttr> outlineLaunch(DictionaryAttr step) {
    auto func = symbols_.lookup<func::FuncOp>(step.getAs<FlatSymbolRefAttr>("func").getValue());
    const int64_t tasks = step.getAs<IntegerAttr>("tasks").getInt();
    const auto shares = step.getAs<IntegerAttr>("invocations");
    const int64_t workgroup = shares ? shares.getInt() : workgroupOf(tasks, target_), perGroup = shares ? 1 : workgroup;
    if (tasks == 0) {
      symbols_.erase(func);
      return DictionaryAttr();
    }
    bindings_.clear();
    Checks checks;
    if (auto first = step.getAs<IntegerAttr>("first_check"))
      checks = {first.getInt(), step.getAs<IntegerAttr>("checks").getInt()};
    const ArrayAttr buffers = step.getAs<ArrayAttr>("buffers");
    const unsigned given = func.getNumArguments();
    for (unsigned i = 2; i < given; ++i)
      if (!func.getArgument(i).use_empty())
        bind(func.getArgument(i), toBufferRef(buffers[i - 2]), checks);
    SmallVector<memref::GetGlobalOp> data;
    func.walk([&](memref::GetGlobalOp op) { data.push_back(op); });
    for (memref::GetGlobalOp op : data)
      bindings_.push_back({{BufferRef::Constant, 0, constantOf(op)}, op.getType(), op.getResult()});
    if (failed(checkTypes(func)) || failed(checkLimits(func, tasks, perGroup)))
      return failure();

    const std::string name = func.getName().str();
    ImplicitLocOpBuilder b(func.getLoc(), func);
    auto gpuModule = gpu::GPUModuleOp::create(b, name + "_module");
    b.setInsertionPointToStart(gpuModule.getBody());
    SmallVector<Type> types;
    // Arrays of SPIR-V have elements; those of an empty one are never touched.
    for (const Binding &binding : bindings_)
      types.push_back(binding.type.getNumElements() > 0 ? binding.type
                                                        : MemRefType::get({1}, binding.type.getElementType()));
    auto kernel = gpu::GPUFuncOp::create(b, name, b.getFunctionType(types, {}));
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({int32_t(workgroup), 1, 1}));
    SmallVector<Attribute> access, bytes, ranges;
    for (auto [binding, argument] : llvm::zip_equal(bindings_, kernel.getBody().front().getArguments())) {
      binding.replaced.replaceAllUsesWith(argument);
      uint32_t use = 0;
      for (Operation *user : argument.getUsers())
        use |= isa<memref::LoadOp>(user)    ? core::kGpuRead
               : isa<memref::StoreOp>(user) ? core::kGpuWrite
                                            : core::kGpuRead | core::kGpuWrite;
      access.push_back(b.getI64IntegerAttr(use ? use : core::kGpuRead));
      bytes.push_back(b.getI64IntegerAttr(bytesOf(binding.type)));
      ranges.push_back(toAttribute(b, binding.ref));
    }
    llvm::append_range(standIns_, data);
    for (Operation *op : standIns_)
      op->erase();
    standIns_.clear();

    // The task's number, over a grid of two dimensions where one is too short.
    const int64_t groups = (tasks + perGroup - 1) / perGroup;
    const int64_t gridX = std::min<int64_t>(groups, target_.maxGrid[0]), gridY = (groups + gridX - 1) / gridX;
    b.setInsertionPointToStart(&kernel.getBody().front());
    Value group = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    const auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, value); };
    if (gridY > 1) {
      Value line = arith::MulIOp::create(b, gpu::BlockIdOp::create(b, gpu::Dimension::y), constant(gridX));
      group = arith::AddIOp::create(b, group, line);
    }
    Value invocation = gpu::ThreadIdOp::create(b, gpu::Dimension::x), task = group;
    if (!shares) {
      Value first = arith::MulIOp::create(b, group, constant(perGroup));
      task = arith::AddIOp::create(b, first, invocation);
    }
    Operation *end = gpu::ReturnOp::create(b);
    b.setInsertionPoint(end);
    // A workgroup is there as a whole or not at all, so barriers inside are passed by all.
    if (gridX * gridY * perGroup != tasks) {
      Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, task, constant(tasks));
      end = scf::IfOp::create(b, exists, /*withElseRegion=*/false).thenBlock()->getTerminator();
      b.setInsertionPoint(end);
    }
    func.getArgument(1).replaceAllUsesWith(shares ? invocation : Value(arith::AddIOp::create(b, task, constant(1))));
    func.getArgument(0).replaceAllUsesWith(task);
    Block &body = func.getBody().front();
    body.getTerminator()->erase();
    end->getBlock()->getOperations().splice(end->getIterator(), body.getOperations());
    int64_t shared = 0;
    kernel.walk([&](memref::AllocOp op) { shared += bytesOf(op.getType()); });
    if (shared > int64_t(target_.workgroupMemoryBytes))
      return kernel.emitError("a kernel with ")
             << shared << " bytes of workgroup memory, of which the GPU allows " << target_.workgroupMemoryBytes;
    if (failed(checkLoops(kernel)))
      return failure();
    int64_t subgroup = 0;
    kernel.walk([&](Operation *op) {
      if (isa<gpu::SubgroupIdOp, gpu::ShuffleOp>(op)) {
        subgroup = target_.subgroupSize;
        features_ |= core::kGpuSubgroups;
      }
      if (auto product = dyn_cast<gpu::SubgroupMmaComputeOp>(op)) {
        const auto type = cast<gpu::MMAMatrixType>(product.getOpA().getType());
        features_ |= core::kGpuMatrices | featureOf(type.getElementType(), false);
      }
    });
    symbols_.erase(func);

    return b.getDictionaryAttr({
        b.getNamedAttr("access", b.getArrayAttr(access)),
        b.getNamedAttr("buffers", b.getArrayAttr(ranges)),
        b.getNamedAttr("bytes", b.getArrayAttr(bytes)),
        b.getNamedAttr("cluster", step.get("cluster")),
        b.getNamedAttr("grid", b.getI64ArrayAttr({gridX, gridY, 1})),
        b.getNamedAttr("kernel", b.getStringAttr(name)),
        b.getNamedAttr("shared", b.getI64IntegerAttr(shared)),
        b.getNamedAttr("subgroup", b.getI64IntegerAttr(subgroup)),
        b.getNamedAttr("workgroup", b.getI64IntegerAttr(workgroup)),
    });
  }

  // Lowers the error word to the number of a failed check, unless a kernel before has left one: in a loop that may be a
  // larger number.
  void fail(memref::StoreOp store, const Checks &checks) {
    ImplicitLocOpBuilder b(store.getLoc(), store);
    const auto word = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
    };
    // Kernels store 1 + the number of their own check.
    Value number = arith::AddIOp::create(b, store.getValueToStore(), word(checks.first - 1));
    const auto update = [&](arith::AtomicRMWKind kind, Value value) {
      return memref::AtomicRMWOp::create(b, b.getI32Type(), kind, value, store.getMemref(), store.getIndices());
    };
    Value before = update(arith::AtomicRMWKind::ori, word(0));
    Value distance = arith::SubIOp::create(b, before, word(checks.first));
    Value isOwn = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, distance, word(checks.count));
    Value isNone = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, word(core::kGpuNoError));
    auto branch = scf::IfOp::create(b, arith::OrIOp::create(b, isOwn, isNone), /*withElseRegion=*/false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    update(arith::AtomicRMWKind::minu, number);
    store.erase();
  }

  void bind(Value argument, const BufferRef &ref, const Checks &checks) {
    OpBuilder b(argument.getContext());
    auto type = cast<MemRefType>(argument.getType());
    if (ref.kind == BufferRef::Scalar) {
      bindScalar(argument, ref.index);
      return;
    }
    if (ref.kind == BufferRef::Error) {
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
        fail(cast<memref::StoreOp>(user), checks);
      bindings_.push_back({ref, type, argument});
      return;
    }
    if (llvm::none_of(argument.getUsers(), llvm::IsaPred<memref::ViewOp>)) {
      bindings_.push_back({ref, type, argument});
      return;
    }
    // Scratch memory: the same bytes once for each element type, views being offsets into them.
    SmallVector<memref::ViewOp> views;
    for (Operation *user : argument.getUsers())
      views.push_back(cast<memref::ViewOp>(user));
    for (memref::ViewOp view : views) {
      const Type element = cast<MemRefType>(view.getType()).getElementType();
      const int64_t width = element.getIntOrFloatBitWidth() / 8;
      b.setInsertionPoint(view);
      Value from = b.createOrFold<arith::DivUIOp>(view.getLoc(), view.getByteShift(),
                                                  arith::ConstantIndexOp::create(b, view.getLoc(), width));
      for (OpOperand &use : llvm::make_early_inc_range(view->getUses())) {
        Operation *user = use.getOwner();
        b.setInsertionPoint(user);
        OpOperand &index = user->getOpOperand(use.getOperandNumber() + 1);
        index.set(b.createOrFold<arith::AddIOp>(user->getLoc(), index.get(), from));
      }
      auto all = MemRefType::get({type.getNumElements() / width}, element);
      auto known = llvm::find_if(bindings_, [&](const Binding &binding) {
        return binding.ref.kind == ref.kind && binding.ref.index == ref.index && binding.type == all;
      });
      if (known != bindings_.end()) {
        view.getResult().replaceAllUsesWith(known->replaced);
      } else {
        bindings_.push_back({ref, all, view.getResult()});
      }
      standIns_.push_back(view);
    }
  }

  // An element of the block of scalars, which the device sees as 32-bit words.
  void bindScalar(Value argument, int64_t offset) {
    OpBuilder b(argument.getContext());
    auto known = llvm::find_if(bindings_, [](const Binding &binding) { return binding.ref.kind == BufferRef::Scalar; });
    if (known == bindings_.end()) {
      const int64_t words = (scalarBytes() + 3) / 4;
      // Stands for the binding until the kernel has it as an argument.
      b.setInsertionPointToStart(argument.getParentBlock());
      auto type = MemRefType::get({words}, b.getI32Type());
      auto standIn = UnrealizedConversionCastOp::create(b, argument.getLoc(), type, ValueRange());
      bindings_.push_back({{BufferRef::Scalar, 0, {}}, type, standIn.getResult(0)});
      standIns_.push_back(standIn);
      known = std::prev(bindings_.end());
    }
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      auto load = cast<memref::LoadOp>(user);
      ImplicitLocOpBuilder at(load.getLoc(), load);
      const auto word = [&](int64_t i) -> Value {
        return memref::LoadOp::create(at, known->replaced, ValueRange{arith::ConstantIndexOp::create(at, i)});
      };
      const Type type = load.getType();
      const unsigned bits = type.getIntOrFloatBitWidth();
      Value value = word(offset / 4);
      if (bits == 64) {
        Value low = arith::ExtUIOp::create(at, at.getI64Type(), value);
        Value high = arith::ExtUIOp::create(at, at.getI64Type(), word(offset / 4 + 1));
        Value shift = arith::ConstantOp::create(at, at.getI64IntegerAttr(32));
        value = arith::OrIOp::create(at, low, arith::ShLIOp::create(at, high, shift));
      } else if (bits < 32) {
        Value shift = arith::ConstantOp::create(at, at.getI32IntegerAttr(8 * (offset % 4)));
        value = arith::TruncIOp::create(at, at.getIntegerType(bits), arith::ShRUIOp::create(at, value, shift));
      }
      if (isa<FloatType>(type))
        value = arith::BitcastOp::create(at, type, value);
      load.replaceAllUsesWith(value);
      load.erase();
    }
  }

  int64_t scalarBytes() const { return module_->getAttrOfType<IntegerAttr>(kScalarBytesAttr).getInt(); }

  // Data of a memref.global, as a constant of the plan.
  StringRef constantOf(memref::GetGlobalOp op) {
    auto global = symbols_.lookup<memref::GlobalOp>(op.getName());
    if (auto known = constants_.find(op.getName()); known != constants_.end())
      return known->second;
    auto data = cast<DenseElementsAttr>(global.getConstantInitValue());
    OpBuilder b(global);
    const StringRef raw(data.getRawData().data(), data.getRawData().size());
    auto constant = LLVM::GlobalOp::create(
        b, op.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), raw.size()), /*isConstant=*/true,
        LLVM::Linkage::Internal, "data_" + std::to_string(constants_.size()), b.getStringAttr(raw), /*alignment=*/64);
    symbols_.insert(constant);
    const StringRef name = constant.getSymName();
    constants_[op.getName()] = name;
    return name;
  }

  LogicalResult checkTypes(func::FuncOp func) {
    WalkResult result = func.walk([&](Operation *op) {
      if (isa<memref::ViewOp, UnrealizedConversionCastOp, func::FuncOp>(op)) // kernels have none of them
        return WalkResult::advance();
      for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
        const uint32_t needed = featureOf(type, false), missing = needed & ~target_.features;
        if (missing) {
          InFlightDiagnostic error = op->emitError("elements of type ");
          error << elementOf(type) << " need the feature '"
                << core::gpuFeatureName(core::GpuFeature(missing & -missing)) << "', which the GPU does not have";
          if (elementOf(type).isInteger(8))
            error << "; booleans in memory are such elements";
          return WalkResult::interrupt();
        }
        features_ |= needed;
      }
      return WalkResult::advance();
    });
    for (const Binding &binding : bindings_)
      features_ |= featureOf(binding.type, true);
    return failure(result.wasInterrupted());
  }

  LogicalResult checkLimits(func::FuncOp func, int64_t tasks, int64_t perGroup) {
    const bool isBounded = !(target_.features & core::kGpuAddresses);
    if (isBounded && bindings_.size() > target_.maxBindings)
      return func.emitError("a kernel with ") << bindings_.size() << " buffers, of which the GPU allows "
                                              << target_.maxBindings << "; unfused it may need fewer";
    for (const Binding &binding : bindings_) {
      const uint64_t bytes = bytesOf(binding.type);
      if (binding.type.getNumElements() > INT32_MAX)
        return func.emitError("a buffer of ")
               << binding.type.getNumElements() << " elements, too many for 32-bit indices";
      if (bytes > target_.maxBufferBytes())
        return func.emitError("a buffer of ")
               << bytes << " bytes, of which the GPU " << (isBounded ? "binds" : "reaches") << " at most "
               << target_.maxBufferBytes();
    }
    if (tasks > INT32_MAX - perGroup || tasks / perGroup >= int64_t(target_.maxGrid[0]) * int64_t(target_.maxGrid[1]))
      return func.emitError("a kernel of ") << tasks << (perGroup == 1 ? " workgroups" : " invocations")
                                            << ", too many for 32-bit indices or the grid of the GPU";
    return success();
  }

  // Some drivers end loops after so many iterations, without a word.
  LogicalResult checkLoops(gpu::GPUFuncOp kernel) {
    if (target_.loopIterations == 0)
      return success();
    const double iterations = mostLoopIterations(kernel.getBody().front());
    if (iterations <= target_.loopIterations)
      return success();
    InFlightDiagnostic error = kernel.emitError("a kernel in which an invocation iterates ");
    if (std::isinf(iterations))
      error << "as often as its data ask for";
    else
      error << "up to " << uint64_t(std::min(iterations, 1e18)) << " times";
    return error << ", of which the GPU allows " << target_.loopIterations;
  }

  ModuleOp module_;
  const core::GpuTarget &target_;
  SymbolTable symbols_;
  SmallVector<Binding> bindings_;
  SmallVector<Operation *> standIns_; // for bindings, until the kernel has its arguments
  llvm::StringMap<StringRef> constants_;
  uint32_t features_ = 0;
};

struct GpuKernels : compiler::impl::GpuKernelsBase<GpuKernels> {
  using GpuKernelsBase::GpuKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto launches = module->getAttrOfType<ArrayAttr>(kLaunchesAttr);
    core::Expected<core::GpuTarget> gpu = core::GpuTarget::parse(target);
    if (!launches || !gpu) {
      module.emitOpError(launches ? gpu.status().message() : "has no launch plan; run burn-lower-kernels first");
      return signalPassFailure();
    }
    Outliner outliner(module, *gpu);
    FailureOr<ArrayAttr> outlined = outliner.outline(launches);
    if (failed(outlined))
      return signalPassFailure();
    for (memref::GlobalOp global : llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
      global.erase();
    module->setAttr(kLaunchesAttr, *outlined);
    module->setAttr(
        kGpuFeaturesAttr,
        Builder(module.getContext())
            .getI64IntegerAttr(outliner.features() |
                               (gpu->features & (core::kGpuFloatControls | core::kGpuFma32 | core::kGpuNormalFma32))));
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), UnitAttr::get(module.getContext()));
  }
};

} // namespace
