// Kernels of burn.fused contraction whose root is a direct convolution.
#include "passes/Codegen/ContractionOps.h"
#include "passes/Codegen/ContractionStreams.h"
#include "passes/Codegen/DirectConvolution.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// As of other contractions: each group of tasks has scratch memory of its own, whatever the number of threads.
constexpr int64_t kMostGroups = 32;

} // namespace

FailureOr<KernelCode> compiler::buildDirectConvolution(OpBuilder &atModule, ir::FusedOp fused, Operation *root,
                                                       const DirectConvolution &conv, StringRef name,
                                                       const CpuTargetInfo &target) {
  const ContractionKinds kinds = contractionKinds(root);
  const int64_t bytes = kinds.sum.width / 8, vectorLanes = vectorLanesOf(kinds, target);
  const bool winograd = root->hasAttr(winogradAttrName);
  if (winograd && !winogradPays(conv, kinds))
    return root->emitOpError() << "has " << winogradAttrName << ", but no window that is computed so";
  DirectChoice choice;
  if (Attribute attribute = root->getDiscardableAttr(directAttrName)) {
    const std::optional<DirectChoice> read = readDirectChoice(attribute);
    if (!read)
      return root->emitOpError() << "has a malformed " << directAttrName;
    choice = *read;
  }
  const DirectTiling tiling = winograd ? tileWinograd(conv, kinds, target) : tileDirect(conv, kinds, target, choice);
  DirectScratch scratch =
      winograd ? winogradScratch(conv, tiling, vectorLanes) : directScratch(conv, tiling, vectorLanes);
  // Panels of a kernel that never changes are made by a kernel of their own, and are then an operand.
  const bool packs =
      isa_and_present<ir::PackPanelsOp>(fused.getBody().front().getTerminator()->getOperand(0).getDefiningOp());
  auto unpack = contractionSource(root, 1).getDefiningOp<ir::UnpackPanelsOp>();
  const std::optional<DirectPanels> panels =
      packs || unpack ? directPanels(conv, kinds, target) : std::optional<DirectPanels>();
  if ((packs || unpack) && (winograd || !panels || panelsOn(root) != panels))
    return root->emitOpError() << "has a " << panelsAttrName << " that does not fit";
  if (panels)
    scratch.shared = 0;
  const int64_t tasks = winograd ? winogradTasks(conv, tiling) : directTasks(conv, tiling, vectorLanes),
                groups = std::min(tasks, kMostGroups);
  const int64_t scratchElements = scratch.shared + groups * scratch.perGroup;
  KernelCode code;
  code.scratchBytes = packs ? 0 : scratchElements * bytes;

  bool emitted = true;
  const auto phase = [&](StringRef phaseName, int64_t count,
                         llvm::function_ref<void(DirectEmitter &, func::FuncOp)> body) {
    auto func = createPhase(atModule, fused, phaseName, code.scratchBytes, /*hasChecks=*/false);
    code.phases.push_back({func, count});
    IndexEmitter b(root->getLoc(), fused.getContext());
    b.setInsertionPointToStart(&func.getBody().front());
    Value memory;
    if (code.scratchBytes > 0)
      memory = memref::ViewOp::create(b, MemRefType::get({scratchElements}, kinds.sum.getLowered(b.getContext())),
                                      func.getArguments().back(), b.index(0), ValueRange());
    const auto operand = [&](unsigned number, bool isRead) {
      return isRead ? kernelOperand(func, contractionSource(root, number)) : Value();
    };
    DirectEmitter e(b, conv, kinds, vectorLanes, operand(0, !packs), operand(1, !unpack), memory);
    if (panels)
      e.panels = memref::ViewOp::create(b, MemRefType::get({panels->all(conv)}, kinds.sum.getLowered(b.getContext())),
                                        packs ? Value(func.getArgument(3)) : kernelOperand(func, unpack.getInput()),
                                        b.index(0), ValueRange());
    body(e, func);
    func::ReturnOp::create(b);
  };
  if (tiling.packsKernel && !conv.isOfKernel && !unpack) {
    const int64_t count = llvm::divideCeil(conv.lanes().size, tiling.lanes(vectorLanes)) * conv.groupCount();
    phase(packs ? name.str() : (name + "_pack").str(), count, [&](DirectEmitter &e, func::FuncOp func) {
      e.b.loop(func.getArgument(0), func.getArgument(1), 1, [&](Value panel) {
        if (winograd)
          emitWinogradPanel(e, tiling, panel);
        else
          emitKernelPanels(e, tiling, panel);
      });
    });
  }
  if (packs)
    return code;
  phase(name, groups, [&](DirectEmitter &e, func::FuncOp func) {
    IndexEmitter &b = e.b;
    // Groups that come in one call are one range of tasks with the scratch memory of the first. The loop runs once.
    Value first = func.getArgument(0), end = func.getArgument(1);
    auto loop = scf::ForOp::create(b, first, end, b.max(b.sub(end, first), b.index(1)));
    ClusterEpilogue epilogue(fused, root, conv.contraction, func, loop, DotInstruction::None, /*separateRows=*/true);
    e.epilogue = &epilogue;
    e.sweeps = ClusterEpilogue::isLong(fused.getBody().front());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    const auto boundary = [&](Value group) { return b.div(b.mul(group, tasks), groups); };
    Value own = b.add(b.mul(first, scratch.perGroup), scratch.shared);
    b.loop(boundary(first), boundary(end), 1, [&](Value task) {
      if (winograd)
        emitWinogradTask(e, tiling, task, own);
      else if (conv.isOfKernel)
        emitKernelTask(e, tiling, task, own);
      else
        emitPositionsTask(e, tiling, task, own);
    });
    emitted = epilogue.isEmitted();
  });
  if (!emitted)
    return failure();
  return code;
}
