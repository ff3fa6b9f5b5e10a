// burn-lower-kernels: each burn.fused becomes functions on flat buffers.
#include "dialects/Burn/Interpreter/Interpreter.h"
#include "passes/Codegen/Kernel.h"
#include "passes/Graph/Import.h"
#include "passes/Lowering/LaunchPlan.h"
#include "passes/Lowering/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <map>

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
  }

  LogicalResult run() {
    const int64_t arena = func_->getAttrOfType<IntegerAttr>(kArenaAttr).getInt();
    scratchOffset_ = llvm::alignTo(arena, core::kArenaAlignment);
    for (auto constant : func_.getBody().front().getOps<ir::ConstantOp>())
      if (auto value = ir::toHostTensor(constant.getValue()); !value)
        return constant.emitOpError(value.status().message());
    for (auto [i, fused] : llvm::enumerate(func_.getBody().front().getOps<ir::FusedOp>()))
      if (failed(lower(fused, "kernel_" + std::to_string(i))))
        return failure();
    module_->setAttr(kLaunchesAttr, builder_.getArrayAttr(launches_));
    module_->setAttr(kArenaAttr, builder_.getI64IntegerAttr(scratchOffset_ + scratchBytes_));
    module_->setAttr(kChecksAttr, builder_.getArrayAttr(checks_));
    func_.erase();
    return success();
  }

private:
  LogicalResult lower(ir::FusedOp fused, const std::string &name) {
    FailureOr<KernelCode> code = build(fused, name);
    if (failed(code))
      return failure();
    SmallVector<Attribute> buffers;
    for (Value operand : fused.getInputs())
      buffers.push_back(toAttribute(builder_, place(operand)));
    for (Value result : fused.getResults())
      buffers.push_back(toAttribute(builder_, place(result)));
    if (code->scratchBytes > 0) {
      buffers.push_back(toAttribute(builder_, {BufferRef::Arena, scratchOffset_, {}}));
      scratchBytes_ = std::max(scratchBytes_, code->scratchBytes);
    }
    if (!code->checks.empty())
      buffers.push_back(toAttribute(builder_, {BufferRef::Error, 0, {}}));
    const bool isInline = runsInline(fused);
    for (KernelPhase &phase : code->phases) {
      SmallVector<NamedAttribute> launch;
      launch.push_back(builder_.getNamedAttr("buffers", builder_.getArrayAttr(buffers)));
      launch.push_back(builder_.getNamedAttr("func", FlatSymbolRefAttr::get(phase.func)));
      launch.push_back(builder_.getNamedAttr("tasks", builder_.getI64IntegerAttr(phase.tasks)));
      if (isInline)
        launch.push_back(builder_.getNamedAttr("inline", builder_.getUnitAttr()));
      if (!code->checks.empty())
        launch.push_back(builder_.getNamedAttr("first_check", builder_.getI64IntegerAttr(checks_.size())));
      launches_.push_back(builder_.getDictionaryAttr(launch));
    }
    std::vector<uint32_t> ids;
    collectLocationIds(fused.getLoc(), ids);
    for (const std::string &message : code->checks)
      checks_.push_back(builder_.getDictionaryAttr(
          {builder_.getNamedAttr("message", builder_.getStringAttr(message)),
           builder_.getNamedAttr("op", builder_.getI64IntegerAttr(ids.empty() ? 0 : ids.front()))}));
    return success();
  }

  FailureOr<KernelCode> build(ir::FusedOp fused, StringRef name) {
    switch (fused.getKind()) {
    case ClusterKind::Elementwise:
      return buildElementwiseKernel(builder_, fused, name, target_);
    case ClusterKind::Row:
      return buildRowKernel(builder_, fused, name, target_);
    case ClusterKind::Contraction:
      return buildContractionKernel(builder_, fused, name, target_);
    case ClusterKind::Single:
      return buildSingleKernel(builder_, fused, name, target_);
    }
    return failure();
  }

  bool runsInline(ir::FusedOp fused) {
    int64_t largest = 0;
    for (Type type : llvm::concat<const Type>(fused.getOperandTypes(), fused.getResultTypes()))
      largest = std::max(largest, cast<RankedTensorType>(type).getNumElements());
    if (fused.getKind() != ClusterKind::Contraction)
      return largest < kInlineElements;
    for (Operation &op : fused.getBody().front())
      if (isa<ir::DotGeneralOp, ir::ConvOp>(op)) {
        const auto count = [](Value value) { return double(cast<RankedTensorType>(value.getType()).getNumElements()); };
        // sqrt(M*N * M*K * N*K) = M*N*K of a product, and near enough of a convolution.
        return count(op.getResult(0)) * count(op.getOperand(0)) * count(op.getOperand(1)) <
               kInlineMultiplyAdds * kInlineMultiplyAdds;
      }
    return false;
  }

  // Where a value of the function lies.
  BufferRef place(Value value) {
    while (auto reshape = value.getDefiningOp<ir::ReshapeOp>())
      value = reshape.getInput();
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argumentPlace(argument.getArgNumber());
    if (auto constant = value.getDefiningOp<ir::ConstantOp>())
      return {BufferRef::Constant, 0, globalOf(constant)};
    auto result = cast<OpResult>(value);
    auto places = result.getOwner()->getAttrOfType<ArrayAttr>("burn.place");
    auto entry = cast<DictionaryAttr>(places[result.getResultNumber()]);
    if (auto offset = entry.getAs<IntegerAttr>("arena"))
      return {BufferRef::Arena, offset.getInt(), {}};
    if (auto number = entry.getAs<IntegerAttr>("arg"))
      return argumentPlace(number.getInt());
    return {BufferRef::Buffer, bufferCount() + entry.getAs<IntegerAttr>("result").getInt(), {}};
  }

  int64_t bufferCount() const {
    return llvm::count_if(plan_.args, [](const core::PlanArg &arg) { return arg.kind == core::ArgKind::Buffer; });
  }

  BufferRef argumentPlace(int64_t number) const {
    const core::PlanArg &arg = plan_.args[number];
    if (arg.kind == core::ArgKind::Scalar)
      return {BufferRef::Scalar, arg.offset, {}};
    int64_t buffer = 0;
    for (int64_t i = 0; i < number; ++i)
      buffer += plan_.args[i].kind == core::ArgKind::Buffer;
    return {BufferRef::Buffer, buffer, {}};
  }

  StringRef globalOf(ir::ConstantOp constant) {
    auto &symbol = globals_[constant];
    if (!symbol.empty())
      return symbol;
    symbol = "constant_" + std::to_string(globals_.size() - 1);
    const ir::HostTensor value = *ir::toHostTensor(constant.getValue());
    const StringRef bytes(reinterpret_cast<const char *>(value.bytes.data()), value.bytes.size());
    auto type = LLVM::LLVMArrayType::get(builder_.getI8Type(), bytes.size());
    LLVM::GlobalOp::create(builder_, constant.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal, symbol,
                           builder_.getStringAttr(bytes),
                           /*alignment=*/core::kArenaAlignment);
    return symbol;
  }

  ModuleOp module_;
  func::FuncOp func_;
  const CpuTargetInfo &target_;
  OpBuilder builder_;
  core::Plan plan_;
  SmallVector<Attribute> launches_;
  SmallVector<Attribute> checks_;
  std::map<Operation *, std::string> globals_;
  int64_t scratchOffset_ = 0, scratchBytes_ = 0;
};

struct LowerKernels : compiler::impl::LowerKernelsBase<LowerKernels> {
  using LowerKernelsBase::LowerKernelsBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    if (functions.size() != 1 || functions[0].isExternal() || !functions[0]->hasAttr(kArenaAttr)) {
      getOperation().emitOpError("expects one function whose memory is planned");
      return signalPassFailure();
    }
    llvm::Expected<CpuTargetInfo> target = describeTarget({triple, cpu, features});
    if (!target) {
      getOperation().emitOpError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    if (failed(Lowering(getOperation(), functions[0], *target).run()))
      signalPassFailure();
  }
};

} // namespace
