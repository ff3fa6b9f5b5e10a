// burn-gpu-to-spirv: kernels in the gpu dialect become SPIR-V for Vulkan.
#include "passes/Lowering/GpuAddresses.h"
#include "passes/Lowering/GpuFloats.h"
#include "passes/Lowering/Passes.h"
#include "runtime/Core/GpuPlan.h"
#include "runtime/Core/GpuTarget.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace burn::compiler {
#define GEN_PASS_DEF_GPUTOSPIRV
#include "passes/Lowering/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

//===-- What upstream patterns lack -----------------------------------------------------------===//

struct Emitter : ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value integer(Type type, int64_t value) { return arith::ConstantOp::create(*this, getIntegerAttr(type, value)); }
};

struct ExpandTrunc : OpRewritePattern<math::TruncOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TruncOp op, PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    Value magnitude = math::AbsFOp::create(rewriter, op.getLoc(), x);
    Value size = math::FloorOp::create(rewriter, op.getLoc(), magnitude);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, size, x);
    return success();
  }
};

// The remainder of SPIR-V has no value for negative operands on Vulkan; the quotient has. What takes its place upstream
// forgets that the least number is its own magnitude.
struct ExpandSignedRemainder : OpRewritePattern<arith::RemSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemSIOp op, PatternRewriter &rewriter) const override {
    Value quotient = arith::DivSIOp::create(rewriter, op.getLoc(), op.getLhs(), op.getRhs());
    Value product = arith::MulIOp::create(rewriter, op.getLoc(), quotient, op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), product);
    return success();
  }
};

// Sums of neighbouring bits, pairs, nibbles and bytes; narrow integers are widened first.
struct ExpandPopCount : OpRewritePattern<math::CtPopOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::CtPopOp op, PatternRewriter &rewriter) const override {
    Emitter b(op.getLoc(), rewriter);
    const unsigned width = op.getType().getIntOrFloatBitWidth();
    Type type = b.getIntegerType(std::max(width, 32u));
    Value x = width < 32 ? Value(arith::ExtUIOp::create(b, type, op.getOperand())) : op.getOperand();
    const uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                              0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    const auto constant = [&](uint64_t value) -> Value {
      const unsigned bits = type.getIntOrFloatBitWidth();
      return arith::ConstantOp::create(b, b.getIntegerAttr(type, APInt(64, value).trunc(bits)));
    };
    for (unsigned i = 0; (1u << i) < type.getIntOrFloatBitWidth(); ++i) {
      Value even = arith::AndIOp::create(b, x, constant(masks[i]));
      Value shifted = arith::ShRUIOp::create(b, x, constant(1u << i));
      x = arith::AddIOp::create(b, even, arith::AndIOp::create(b, shifted, constant(masks[i])));
    }
    if (width < 32)
      x = arith::TruncIOp::create(b, op.getType(), x);
    rewriter.replaceOp(op, x);
    return success();
  }
};

// Through 32 bits, which the instruction has.
struct ExpandLeadingZeros : OpRewritePattern<math::CountLeadingZerosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::CountLeadingZerosOp op, PatternRewriter &rewriter) const override {
    const unsigned width = op.getType().getIntOrFloatBitWidth();
    if (width == 32)
      return rewriter.notifyMatchFailure(op, "has 32 bits");
    Emitter b(op.getLoc(), rewriter);
    Type word = b.getI32Type();
    Value x = op.getOperand();
    if (width < 32) {
      Value widened = arith::ExtUIOp::create(b, word, x);
      Value count = math::CountLeadingZerosOp::create(b, widened);
      count = arith::SubIOp::create(b, count, b.integer(word, 32 - width));
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), count);
      return success();
    }
    Value high = arith::TruncIOp::create(b, word, arith::ShRUIOp::create(b, x, b.integer(op.getType(), 32)));
    Value low = arith::TruncIOp::create(b, word, x);
    Value highIsZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, high, b.integer(word, 0));
    Value lowCount = math::CountLeadingZerosOp::create(b, low);
    lowCount = arith::AddIOp::create(b, lowCount, b.integer(word, 32));
    Value highCount = math::CountLeadingZerosOp::create(b, high);
    Value count = arith::SelectOp::create(b, highIsZero, lowCount, highCount);
    rewriter.replaceOpWithNewOp<arith::ExtUIOp>(op, op.getType(), count);
    return success();
  }
};

/// Compares what was extended with a constant before it is extended: llvmpipe of Mesa 22.3 finds no extended number to
/// be below a constant.
struct CompareNarrow : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::CmpIOp op, PatternRewriter &rewriter) const override {
    arith::CmpIPredicate predicate = op.getPredicate();
    Value extended = op.getLhs(), other = op.getRhs();
    APInt constant;
    if (!matchPattern(other, m_ConstantInt(&constant))) {
      std::swap(extended, other);
      predicate = swapped(predicate);
      if (!matchPattern(other, m_ConstantInt(&constant)))
        return rewriter.notifyMatchFailure(op, "compares with no constant");
    }
    Operation *extension = extended.getDefiningOp();
    if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(extension) ||
        isa<IndexType>(extended.getType()))
      return rewriter.notifyMatchFailure(op, "compares no extended number");
    Value narrow = extension->getOperand(0);
    const unsigned width = isa<IndexType>(narrow.getType()) ? 32 : narrow.getType().getIntOrFloatBitWidth();
    const bool isUnsigned = isa<arith::ExtUIOp>(extension);
    if (width == 1 || width >= constant.getBitWidth())
      return rewriter.notifyMatchFailure(op, "compares no extended number");
    const std::optional<arith::CmpIPredicate> matching = predicateOf(predicate, isUnsigned);
    if (!matching)
      return rewriter.notifyMatchFailure(op, "orders signed numbers as unsigned ones");
    const bool fits = isUnsigned ? constant.isIntN(width) : constant.isSignedIntN(width);
    if (!fits) { // beyond all numbers, on one side of them
      const bool isBelow = constant.isNegative() && !isOrderedUnsigned(predicate);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, rewriter.getBoolAttr(holdsBeyond(*matching, isBelow)));
      return success();
    }
    const bool isIndex = isa<IndexType>(narrow.getType());
    auto value = isIndex ? rewriter.getIndexAttr(constant.getSExtValue())
                         : rewriter.getIntegerAttr(narrow.getType(), constant.trunc(width));
    Value bound = arith::ConstantOp::create(rewriter, op.getLoc(), value);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, *matching, narrow, bound);
    return success();
  }

private:
  using Predicate = arith::CmpIPredicate;

  static bool isOrderedUnsigned(Predicate p) {
    return p == Predicate::ult || p == Predicate::ule || p == Predicate::ugt || p == Predicate::uge;
  }

  static Predicate swapped(Predicate p) {
    switch (p) {
    case Predicate::slt:
      return Predicate::sgt;
    case Predicate::sle:
      return Predicate::sge;
    case Predicate::sgt:
      return Predicate::slt;
    case Predicate::sge:
      return Predicate::sle;
    case Predicate::ult:
      return Predicate::ugt;
    case Predicate::ule:
      return Predicate::uge;
    case Predicate::ugt:
      return Predicate::ult;
    case Predicate::uge:
      return Predicate::ule;
    default:
      return p;
    }
  }

  // The predicate of numbers before their extension; of unsigned ones, what is extended is not negative.
  static std::optional<Predicate> predicateOf(Predicate p, bool isUnsigned) {
    switch (p) {
    case Predicate::eq:
    case Predicate::ne:
      return p;
    case Predicate::slt:
      return isUnsigned ? Predicate::ult : p;
    case Predicate::sle:
      return isUnsigned ? Predicate::ule : p;
    case Predicate::sgt:
      return isUnsigned ? Predicate::ugt : p;
    case Predicate::sge:
      return isUnsigned ? Predicate::uge : p;
    default:
      return isUnsigned ? std::optional(p) : std::nullopt;
    }
  }

  // Whether all numbers stand as the predicate says to a constant below or above them.
  static bool holdsBeyond(Predicate p, bool constantIsBelow) {
    const bool isGreater = p == Predicate::sgt || p == Predicate::sge || p == Predicate::ugt || p == Predicate::uge;
    return p == Predicate::ne || (p != Predicate::eq && isGreater == constantIsBelow);
  }
};

// A boolean as an index, by way of an integer.
struct ExpandUnsignedIndexCast : OpRewritePattern<arith::IndexCastUIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::IndexCastUIOp op, PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isInteger(1))
      return rewriter.notifyMatchFailure(op, "is no cast of a boolean");
    Value word = arith::ExtUIOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, op.getType(), word);
    return success();
  }
};

// A loop without iterations has the values that it began with. Upstream's loops leave their results in variables that
// the body alone writes to.
void keepInitialValues(gpu::GPUModuleOp module) {
  module.walk([](scf::ForOp loop) {
    APInt lower, upper;
    if (loop.use_empty() || (matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
                             matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
                             (loop.getUnsignedCmp() ? lower.ult(upper) : lower.slt(upper))))
      return;
    ImplicitLocOpBuilder b(loop.getLoc(), loop->getContext());
    b.setInsertionPointAfter(loop);
    const auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value runs = arith::CmpIOp::create(b, less, loop.getLowerBound(), loop.getUpperBound());
    for (auto [result, initial] : llvm::zip_equal(loop.getResults(), loop.getInits())) {
      Value condition = runs;
      if (auto vector = dyn_cast<VectorType>(result.getType())) // chosen lane by lane
        condition = vector::BroadcastOp::create(b, vector.clone(b.getI1Type()), runs);
      auto chosen = arith::SelectOp::create(b, condition, result, initial);
      result.replaceAllUsesExcept(chosen, chosen);
    }
  });
}

//===-- Conversion ----------------------------------------------------------------------------===//

// The push constant, which is 0. Null in a module that cannot hold one.
Value zeroWord(Operation *op, OpBuilder &b) {
  return spirv::getPushConstantValue(op, /*elementCount=*/1, /*offset=*/0, b.getI32Type(), b);
}

/// Zeros of floats come as a push constant, the word 0. Some drivers drop sums, products and quotients with a constant
/// zero as if it had no sign and its other operand were an ordinary number; what they cannot see they compute.
struct HideZero : OpConversionPattern<arith::ConstantOp> {
  HideZero(const TypeConverter &types, MLIRContext *context) : OpConversionPattern(types, context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto value = dyn_cast<FloatAttr>(op.getValue());
    if (!value || !value.getValue().isZero())
      return rewriter.notifyMatchFailure(op, "is no float zero");
    const Location loc = op.getLoc();
    Value word = zeroWord(op, rewriter);
    if (!word)
      return rewriter.notifyMatchFailure(op, "is in no module that holds push constants");
    Value zero = spirv::BitcastOp::create(rewriter, loc, rewriter.getF32Type(), word);
    if (op.getType() != zero.getType())
      zero = spirv::FConvertOp::create(rewriter, loc, op.getType(), zero);
    if (value.getValue().isNegative())
      zero = spirv::FNegateOp::create(rewriter, loc, zero);
    rewriter.replaceOp(op, zero);
    return success();
  }
};

/// An f64 rounded to f32 goes through a sum with the word 0: some drivers take the way there and back for nothing.
struct HideRounding : OpConversionPattern<arith::TruncFOp> {
  HideRounding(const TypeConverter &types, MLIRContext *context) : OpConversionPattern(types, context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(arith::TruncFOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !op.getIn().getType().isF64())
      return rewriter.notifyMatchFailure(op, "rounds no f64 to f32");
    Value zero = zeroWord(op, rewriter);
    if (!zero)
      return rewriter.notifyMatchFailure(op, "is in no module that holds push constants");
    const Location loc = op.getLoc();
    Value rounded = spirv::FConvertOp::create(rewriter, loc, op.getType(), operands.getIn());
    Value word = spirv::BitcastOp::create(rewriter, loc, rewriter.getI32Type(), rounded);
    word = spirv::IAddOp::create(rewriter, loc, word, zero);
    rewriter.replaceOpWithNewOp<spirv::BitcastOp>(op, op.getType(), word);
    return success();
  }
};

spirv::TargetEnvAttr environment(MLIRContext *context, const core::GpuTarget &target, bool multipliesMatrices) {
  SmallVector<spirv::Capability> capabilities{spirv::Capability::Shader};
  SmallVector<spirv::Extension> extensions{spirv::Extension::SPV_KHR_storage_buffer_storage_class};
  const std::pair<core::GpuFeature, spirv::Capability> features[] = {
      {core::kGpuFloat64, spirv::Capability::Float64},
      {core::kGpuFloat16, spirv::Capability::Float16},
      {core::kGpuInt64, spirv::Capability::Int64},
      {core::kGpuInt16, spirv::Capability::Int16},
      {core::kGpuInt8, spirv::Capability::Int8},
      {core::kGpuStorage16, spirv::Capability::StorageBuffer16BitAccess},
      {core::kGpuStorage8, spirv::Capability::StorageBuffer8BitAccess},
      {core::kGpuExact16, spirv::Capability::SignedZeroInfNanPreserve},
      {core::kGpuExact16, spirv::Capability::RoundingModeRTE},
      {core::kGpuExact32, spirv::Capability::SignedZeroInfNanPreserve},
      {core::kGpuExact32, spirv::Capability::RoundingModeRTE},
      {core::kGpuExact64, spirv::Capability::SignedZeroInfNanPreserve},
      {core::kGpuExact64, spirv::Capability::RoundingModeRTE},
      {core::kGpuDenorms16, spirv::Capability::DenormPreserve},
      {core::kGpuDenorms32, spirv::Capability::DenormPreserve},
      {core::kGpuDenorms64, spirv::Capability::DenormPreserve}};
  for (auto [feature, capability] : features)
    if (target.features & feature && !llvm::is_contained(capabilities, capability))
      capabilities.push_back(capability);
  if (target.features & core::kGpuSubgroups)
    capabilities.append({spirv::Capability::GroupNonUniform, spirv::Capability::GroupNonUniformShuffle});
  if (target.features & core::kGpuFloatControls)
    extensions.push_back(spirv::Extension::SPV_KHR_float_controls);
  if (target.features & core::kGpuStorage16)
    extensions.push_back(spirv::Extension::SPV_KHR_16bit_storage);
  if (target.features & core::kGpuStorage8)
    extensions.push_back(spirv::Extension::SPV_KHR_8bit_storage);
  if (multipliesMatrices) {
    capabilities.append({spirv::Capability::CooperativeMatrixKHR, spirv::Capability::VulkanMemoryModel});
    extensions.append({spirv::Extension::SPV_KHR_cooperative_matrix, spirv::Extension::SPV_KHR_vulkan_memory_model});
  }
  auto triple = spirv::VerCapExtAttr::get(multipliesMatrices ? spirv::Version::V_1_6 : spirv::Version::V_1_3,
                                          capabilities, extensions, context);
  const auto usual = spirv::getDefaultResourceLimits(context);
  auto limits = spirv::ResourceLimitsAttr::get(
      context, usual.getMaxComputeSharedMemorySize(), usual.getMaxComputeWorkgroupInvocations(),
      usual.getMaxComputeWorkgroupSize(), int(target.subgroupSize), std::nullopt, std::nullopt,
      usual.getCooperativeMatrixPropertiesKhr(), usual.getCooperativeMatrixPropertiesNv());
  return spirv::TargetEnvAttr::get(triple, limits, spirv::ClientAPI::Vulkan, spirv::Vendor::Unknown,
                                   spirv::DeviceType::Unknown, spirv::TargetEnvAttr::kUnknownDeviceID);
}

std::optional<spirv::StorageClass> storageClassOf(Attribute space) {
  if (!space)
    return spirv::StorageClass::StorageBuffer;
  if (auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space)) {
    if (gpuSpace.getValue() == gpu::AddressSpace::Workgroup)
      return spirv::StorageClass::Workgroup;
    if (gpuSpace.getValue() == gpu::AddressSpace::Private)
      return spirv::StorageClass::Function;
  }
  if (auto known = dyn_cast<spirv::StorageClassAttr>(space))
    return known.getValue();
  return std::nullopt;
}

LogicalResult convert(gpu::GPUModuleOp module, const core::GpuTarget &target) {
  MLIRContext *context = module.getContext();
  RewritePatternSet expansions(context);
  populateGpuFloatPatterns(expansions, target);
  expansions.add<ExpandTrunc, ExpandSignedRemainder, ExpandPopCount, ExpandLeadingZeros, ExpandUnsignedIndexCast,
                 CompareNarrow>(context);
  arith::populateCeilFloorDivExpandOpsPatterns(expansions);
  if (failed(applyPatternsGreedily(module, std::move(expansions))))
    return module.emitOpError("does not settle while its ops are expanded");

  keepInitialValues(module);
  module.walk([&](gpu::GPUFuncOp func) {
    if (auto size = func.getKnownBlockSize())
      func->setAttr(spirv::getEntryPointABIAttrName(), spirv::getEntryPointABIAttr(context, *size));
  });
  const bool multipliesMatrices =
      module.walk([](gpu::SubgroupMmaComputeOp) { return WalkResult::interrupt(); }).wasInterrupted();
  auto env = environment(context, target, multipliesMatrices);
  module->setAttr(spirv::getTargetEnvAttrName(), env);
  spirv::MemorySpaceToStorageClassConverter spaces(storageClassOf);
  spirv::convertMemRefTypesAndAttrs(module, spaces);

  SPIRVConversionOptions options;
  options.use64bitIndex = false;
  // What a device lacks was refused before: emulation would change types behind the runtime's back.
  options.emulateLT32BitScalarTypes = false;
  options.emulateUnsupportedFloatTypes = false;
  SPIRVTypeConverter types(env, options);
  auto legal = SPIRVConversionTarget::get(env);
  RewritePatternSet patterns(context);
  ScfToSPIRVContext scfContext;
  populateGPUToSPIRVPatterns(types, patterns);
  populateMemRefToSPIRVPatterns(types, patterns);
  populateFuncToSPIRVPatterns(types, patterns);
  arith::populateArithToSPIRVPatterns(types, patterns);
  patterns.add<HideZero, HideRounding>(types, context);
  populateMathToSPIRVPatterns(types, patterns);
  populateSCFToSPIRVPatterns(types, scfContext, patterns);
  populateVectorToSPIRVPatterns(types, patterns);
  if (multipliesMatrices) {
    populateMMAToSPIRVCoopMatrixTypeConversion(types);
    populateGpuWMMAToSPIRVCoopMatrixKHRConversionPatterns(types, patterns);
  }
  return applyFullConversion(module.getOperation(), *legal, std::move(patterns));
}

// Drivers contract and reorder float operations that are not marked. The difference of a value and itself, which is no
// zero for infinities, they take for one all the same: it is written as a sum.
void finish(spirv::ModuleOp module) {
  module.walk([](spirv::FSubOp op) {
    if (op.getOperand1() != op.getOperand2())
      return;
    OpBuilder b(op);
    Value negated = spirv::FNegateOp::create(b, op.getLoc(), op.getOperand2());
    op.replaceAllUsesWith(spirv::FAddOp::create(b, op.getLoc(), op.getOperand1(), negated).getResult());
    op.erase();
  });
  // The error word orders nothing else. With an order drivers put barriers around the operation, which in code that not
  // all invocations run are no longer passed by all.
  module.walk([](spirv::AtomicUMinOp op) { op.setSemantics(spirv::MemorySemantics::None); });
  module.walk([](spirv::AtomicOrOp op) { op.setSemantics(spirv::MemorySemantics::None); });
  module.walk([](Operation *op) {
    if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp, spirv::FNegateOp>(op))
      op->setAttr("no_contraction", UnitAttr::get(op->getContext()));
  });
}

/// Matrices ask for Vulkan's memory model, in which a barrier orders what says that others may see it, and only if the
/// barrier makes it so. Elements of integer matrices have signs.
void useVulkanMemory(spirv::ModuleOp module) {
  if (!module.walk([](spirv::KHRCooperativeMatrixMulAddOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return;
  MLIRContext *context = module.getContext();
  module.setMemoryModelAttr(spirv::MemoryModelAttr::get(context, spirv::MemoryModel::Vulkan));
  const auto isShared = [](Value pointer) {
    return cast<spirv::PointerType>(pointer.getType()).getStorageClass() == spirv::StorageClass::Workgroup;
  };
  const auto seen = spirv::MemoryAccessAttr::get(context, spirv::MemoryAccess::NonPrivatePointer);
  module.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<spirv::LoadOp, spirv::StoreOp>([&](auto access) {
          if (isShared(access.getPtr()))
            access.setMemoryAccessAttr(seen);
        })
        .Case<spirv::KHRCooperativeMatrixLoadOp, spirv::KHRCooperativeMatrixStoreOp>([&](auto access) {
          if (isShared(access.getPointer()))
            access.setMemoryOperandAttr(seen);
        })
        .Case([&](spirv::ControlBarrierOp barrier) {
          barrier.setMemorySemantics(barrier.getMemorySemantics() | spirv::MemorySemantics::MakeAvailable |
                                     spirv::MemorySemantics::MakeVisible);
        })
        .Case([&](spirv::KHRCooperativeMatrixMulAddOp product) {
          using Operands = spirv::CooperativeMatrixOperandsKHR;
          if (cast<spirv::CooperativeMatrixType>(product.getA().getType()).getElementType().isInteger())
            product.setMatrixOperands(Operands::ASigned | Operands::BSigned | Operands::CSigned |
                                      Operands::ResultSigned);
        });
  });
}

// The number of a subgroup is a variable, of which upstream's pass takes no account.
void addSubgroups(spirv::ModuleOp module) {
  const bool counts = llvm::any_of(module.getOps<spirv::GlobalVariableOp>(), [](spirv::GlobalVariableOp variable) {
    auto builtIn =
        variable->getAttrOfType<StringAttr>(spirv::SPIRVDialect::getAttributeName(spirv::Decoration::BuiltIn));
    return builtIn && builtIn.getValue() == stringifyBuiltIn(spirv::BuiltIn::SubgroupId);
  });
  spirv::VerCapExtAttr triple = *module.getVceTriple();
  SmallVector<spirv::Capability> capabilities(triple.getCapabilities());
  if (!counts || llvm::is_contained(capabilities, spirv::Capability::GroupNonUniform))
    return;
  capabilities.push_back(spirv::Capability::GroupNonUniform);
  module.setVceTripleAttr(spirv::VerCapExtAttr::get(
      std::max(triple.getVersion(), spirv::Version::V_1_3), // the first that knows subgroups
      capabilities, SmallVector<spirv::Extension>(triple.getExtensions()), module.getContext()));
}

// Floats round to nearest and keep zeros, NaN and subnormal numbers where the GPU lets code ask for that.
void controlFloats(spirv::ModuleOp module, const core::GpuTarget &target) {
  const std::tuple<uint32_t, spirv::ExecutionMode, int32_t> modes[] = {
      {core::kGpuExact16, spirv::ExecutionMode::SignedZeroInfNanPreserve, 16},
      {core::kGpuExact16, spirv::ExecutionMode::RoundingModeRTE, 16},
      {core::kGpuExact32, spirv::ExecutionMode::SignedZeroInfNanPreserve, 32},
      {core::kGpuExact32, spirv::ExecutionMode::RoundingModeRTE, 32},
      {core::kGpuExact64, spirv::ExecutionMode::SignedZeroInfNanPreserve, 64},
      {core::kGpuExact64, spirv::ExecutionMode::RoundingModeRTE, 64},
      {core::kGpuDenorms16, spirv::ExecutionMode::DenormPreserve, 16},
      {core::kGpuDenorms32, spirv::ExecutionMode::DenormPreserve, 32},
      {core::kGpuDenorms64, spirv::ExecutionMode::DenormPreserve, 64}};
  for (auto entry : llvm::make_early_inc_range(module.getOps<spirv::EntryPointOp>())) {
    OpBuilder b(module.getContext());
    b.setInsertionPointAfter(entry);
    auto func = module.lookupSymbol<spirv::FuncOp>(entry.getFn());
    for (auto [feature, mode, width] : modes)
      if (target.features & feature)
        spirv::ExecutionModeOp::create(b, entry.getLoc(), func, mode, width);
  }
}

struct GpuToSpirv : compiler::impl::GpuToSpirvBase<GpuToSpirv> {
  using GpuToSpirvBase::GpuToSpirvBase;

  void runOnOperation() override {
    core::Expected<core::GpuTarget> gpu = core::GpuTarget::parse(target);
    if (!gpu) {
      getOperation().emitOpError(gpu.status().message());
      return signalPassFailure();
    }
    for (gpu::GPUModuleOp module : llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(convert(module, *gpu)))
        return signalPassFailure();
    OpPassManager entries(ModuleOp::getOperationName()), rest(ModuleOp::getOperationName());
    entries.nest<spirv::ModuleOp>().addPass(spirv::createSPIRVLowerABIAttributesPass());
    if (failed(runPipeline(entries, getOperation())))
      return signalPassFailure();
    for (spirv::ModuleOp module : getOperation().getOps<spirv::ModuleOp>()) {
      useVulkanMemory(module);
      controlFloats(module, *gpu);
      if (wantsAddresses(module, *gpu) && failed(takeAddresses(module, *gpu)))
        return signalPassFailure();
    }
    OpPassManager &nested = rest.nest<spirv::ModuleOp>();
    nested.addPass(spirv::createSPIRVUpdateVCEPass());
    nested.addPass(createCSEPass());
    if (failed(runPipeline(rest, getOperation())))
      return signalPassFailure();
    getOperation().walk(addSubgroups);
    getOperation().walk(finish);
  }
};

} // namespace
