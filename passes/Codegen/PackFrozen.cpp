// burn-pack-frozen: operands that never change are packed before the program runs.
#include "dialects/Burn/Interpreter/Interpreter.h"
#include "passes/Codegen/ContractionOps.h"
#include "passes/Codegen/ContractionPanels.h"
#include "passes/Codegen/Passes.h"
#include "passes/Graph/Accesses.h"
#include "passes/Graph/Import.h"
#include "passes/Graph/Prepare.h"
#include "passes/Graph/Regions.h"
#include "runtime/Core/HostMemory.h"

#include "mlir/IR/IRMapping.h"

namespace burn::compiler {
#define GEN_PASS_DEF_PACKFROZEN
#include "passes/Codegen/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

class Packer {
public:
  explicit Packer(func::FuncOp func) : func_(func) {}

  LogicalResult run() {
    SmallVector<Operation *> roots;
    func_.walk([&](Operation *op) {
      if (isa<ir::DotGeneralOp, ir::ConvOp>(op))
        roots.push_back(op);
    });
    for (Operation *root : roots)
      if (failed(pack(root)))
        return failure();
    dropUnusedInvariants(func_);
    eraseUnused(func_, [](Operation *op) { return isa<ir::ConstantOp, ir::ReshapeOp>(op); });
    dropUnusedDerived(func_);
    return success();
  }

private:
  LogicalResult pack(Operation *root) {
    if (const std::optional<DirectPanels> panels = panelsOn(root)) {
      const std::optional<DirectConvolution> direct = directConvolutionOf(root);
      if (!direct || !panels->fit(*direct))
        return root->emitOpError() << "has a " << panelsAttrName << " of " << panels->lanes << " lanes and "
                                   << panels->elements << " elements, which no kernel of it reads";
      const ContractionKinds kinds = contractionKinds(root);
      return pack(root, 1, {panels->all(*direct) * (kinds.sum.width / 8), [&](const ir::HostTensor &kernel) {
                              return packedKernel(*direct, *panels, kinds, kernel);
                            }});
    }
    std::optional<Contraction> contraction = contractionOf(root);
    if (!contraction)
      return success();
    FailureOr<std::optional<ContractionTiling>> found = tilingOn(root, *contraction);
    if (failed(found))
      return failure();
    if (!*found)
      return success();
    const ContractionTiling &tiling = **found;
    const ContractionKinds kinds = contractionKinds(root);
    for (unsigned number : {0u, 1u}) {
      if (!isReady(*contraction, tiling, number))
        continue;
      const bool rows = isRowsOperand(*contraction, tiling, number);
      const Panels panels = {
          readyPanelElements(*contraction, tiling, rows) * (kinds.sum.width / 8),
          [&](const ir::HostTensor &operand) { return packedPanels(*contraction, tiling, kinds, rows, operand); }};
      if (failed(pack(root, number, panels)))
        return failure();
    }
    return success();
  }

  // The bytes of an operand's panels, and what they are for elements that are known.
  struct Panels {
    int64_t bytes;
    std::function<std::vector<std::byte>(const ir::HostTensor &)> of;
  };

  LogicalResult pack(Operation *root, unsigned number, const Panels &wanted) {
    auto fused = cast<ir::FusedOp>(root->getParentOp());
    auto argument = dyn_cast<BlockArgument>(contractionSource(root, number));
    if (!argument)
      return success(); // reads panels already
    // Packed beside its kernel is what another one has computed just before.
    const bool isFixed = isPackedOnce(root, number);
    Value source = isFixed ? fixedSourceOf(root, number) : fused.getInputs()[argument.getArgNumber()];
    auto constant = isFixed ? source.getDefiningOp<ir::ConstantOp>() : ir::ConstantOp();
    Block *block = constant ? &func_.getBody().front() : isFixed ? source.getParentBlock() : fused->getBlock();
    Value panels = known(root, number, source, block);
    if (!panels) {
      panels =
          constant ? constantPanels(constant, wanted) : addPanels(root, number, source, block, isFixed, wanted.bytes);
      if (!panels)
        return failure();
      known_.push_back({root, block, number, source, panels});
    }
    read(fused, root, number, argument, passInto(panels, fused->getBlock()));
    return success();
  }

  // Whether the operand is the one that was taken to be packed less often than the op runs.
  static bool isPackedOnce(Operation *root, unsigned number) {
    if (panelsOn(root))
      return fixedSourceOf(root, number) != nullptr;
    return fixedOperandOf(root) == (number == 0 ? FixedOperand::Lhs : FixedOperand::Rhs);
  }

  // Has the panels of an operand packed by the preparing function, or else in front of the op of `block` that needs
  // them.
  Value addPanels(Operation *root, unsigned number, Value source, Block *block, bool isFixed, int64_t bytes) {
    if (isFixed && isFixedForever(source)) {
      func::FuncOp prepare = makePrepare(func_);
      OpBuilder b(prepare.getBody().front().getTerminator());
      return addDerived(func_, prepare,
                        addPanels(b, root, number, inPrepare(prepare, cast<BlockArgument>(source)), bytes));
    }
    OpBuilder b(block->findAncestorOpInBlock(*root));
    return addPanels(b, root, number, source, bytes);
  }

  // The panels of the same operand for a contraction that is packed alike.
  Value known(Operation *root, unsigned number, Value source, Block *block) {
    for (const Known &one : known_)
      if (one.number == number && isSame(one.source, source) && one.block == block &&
          one.root->getName() == root->getName() && one.root->getAttrDictionary() == root->getAttrDictionary() &&
          one.root->getOperandTypes() == root->getOperandTypes() &&
          contractionSource(one.root, 1 - number).getType() == contractionSource(root, 1 - number).getType())
        return one.panels;
    return nullptr;
  }

  // Regions may hold the same constant each.
  static bool isSame(Value a, Value b) {
    auto first = a.getDefiningOp<ir::ConstantOp>(), second = b.getDefiningOp<ir::ConstantOp>();
    return a == b || (first && second && first.getValue() == second.getValue());
  }

  // The value in the preparing function that a frozen or derived argument of the program is.
  static Value inPrepare(func::FuncOp prepare, BlockArgument argument) {
    const unsigned first = prepare.getNumArguments();
    return argument.getArgNumber() < first
               ? Value(prepare.getArgument(argument.getArgNumber()))
               : prepare.getBody().front().getTerminator()->getOperand(argument.getArgNumber() - first);
  }

  // A constant's panels, which are another constant.
  Value constantPanels(ir::ConstantOp constant, const Panels &wanted) {
    // The operand, what it is widened to, its panels, and these again as an attribute.
    core::Status status = core::checkHostMemory(__int128(tensorBytes(constant.getType())) + __int128(3) * wanted.bytes);
    core::Expected<ir::HostTensor> elements =
        status ? ir::toHostTensor(constant.getValue()) : core::Expected<ir::HostTensor>(status);
    if (!elements) {
      constant.emitOpError(elements.status().message());
      return nullptr;
    }
    const std::vector<std::byte> panels = wanted.of(*elements);
    OpBuilder b = OpBuilder::atBlockBegin(&func_.getBody().front());
    auto type = RankedTensorType::get({int64_t(panels.size())}, b.getI8Type());
    const ArrayRef<char> bytes(reinterpret_cast<const char *>(panels.data()), panels.size());
    return ir::ConstantOp::create(b, constant.getLoc(), DenseElementsAttr::getFromRawBuffer(type, bytes));
  }

  // A kernel with the contraction, in which a constant stands for the other operand.
  Value addPanels(OpBuilder &b, Operation *root, unsigned number, Value input, int64_t bytes) {
    OpBuilder::InsertionGuard guard(b);
    const Location loc = root->getLoc();
    // The bytes are those of the operand, whatever shape they have there.
    if (Type type = contractionSource(root, number).getType(); input.getType() != type)
      input = ir::ReshapeOp::create(b, loc, type, input);
    auto panelsType = RankedTensorType::get({bytes}, b.getI8Type());
    auto fused = ir::FusedOp::create(b, loc, TypeRange(panelsType), ir::ClusterKind::Contraction, ValueRange(input));
    Block &body = fused.getBody().emplaceBlock();
    body.addArgument(contractionSource(root, number).getType(), loc);
    b.setInsertionPointToStart(&body);
    IRMapping mapping;
    for (unsigned i : {0u, 1u}) {
      // A conversion stays, since it decides which instructions multiply; what else becomes of the other operand as it
      // is read does not.
      const bool converts = readChain(root->getOpOperand(i)).size() == 1;
      Value read = converts ? contractionSource(root, i) : root->getOperand(i);
      auto type = cast<RankedTensorType>(read.getType());
      mapping.map(read, i == number ? Value(body.getArgument(0)) : Value(ir::ConstantOp::create(b, loc, zeroOf(type))));
      if (converts)
        b.clone(*root->getOperand(i).getDefiningOp(), mapping);
    }
    Operation *twin = b.clone(*root, mapping);
    Value packed = ir::PackPanelsOp::create(b, loc, panelsType, twin->getResult(0), number);
    ir::YieldOp::create(b, loc, packed);
    return fused.getResult(0);
  }

  static ElementsAttr zeroOf(RankedTensorType type) {
    Builder b(type.getContext());
    Type element = type.getElementType();
    if (isa<FloatType>(element))
      return DenseElementsAttr::get(type, b.getFloatAttr(element, 0.0));
    return DenseElementsAttr::get(type, APInt(element.getIntOrFloatBitWidth(), 0));
  }

  // Has the kernel read panels in place of the operand. Others ops of it may read the operand itself still.
  void read(ir::FusedOp fused, Operation *root, unsigned number, BlockArgument argument, Value panels) {
    Block &body = fused.getBody().front();
    fused->insertOperands(fused->getNumOperands(), panels);
    Value stored = body.addArgument(panels.getType(), root->getLoc());
    OpBuilder b(&body, body.begin());
    Value operand = ir::UnpackPanelsOp::create(b, root->getLoc(), argument.getType(), stored);
    if (root->getOperand(number) == argument)
      root->setOperand(number, operand);
    else
      root->getOperand(number).getDefiningOp()->setOperand(0, operand);
    if (argument.use_empty()) {
      const unsigned place = argument.getArgNumber();
      body.eraseArgument(place);
      fused->eraseOperand(place);
    }
  }

  struct Known {
    Operation *root;
    Block *block;
    unsigned number;
    Value source, panels;
  };
  func::FuncOp func_;
  SmallVector<Known> known_;
};

struct PackFrozen : compiler::impl::PackFrozenBase<PackFrozen> {
  void runOnOperation() override {
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!func.isExternal() && !isPrepare(func) && failed(Packer(func).run()))
        return signalPassFailure();
  }
};

} // namespace
