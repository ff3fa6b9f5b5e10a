// burn-pack-frozen: operands that never change are packed before the program runs.
#include "passes/Codegen/ContractionOps.h"
#include "passes/Codegen/Passes.h"
#include "passes/Graph/Accesses.h"
#include "passes/Graph/Import.h"
#include "passes/Graph/Prepare.h"

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
    dropUnusedDerived(func_);
    return success();
  }

private:
  LogicalResult pack(Operation *root) {
    std::optional<Contraction> contraction = contractionOf(root);
    if (!contraction)
      return success();
    FailureOr<std::optional<ContractionTiling>> tiling = tilingOn(root, *contraction);
    if (failed(tiling))
      return failure();
    if (!*tiling)
      return success();
    for (unsigned number : {0u, 1u})
      if (isReady(*contraction, **tiling, number))
        pack(root, number,
             readyPanelElements(*contraction, **tiling, isRowsOperand(*contraction, **tiling, number)) *
                 (contractionKinds(root).sum.width / 8));
    return success();
  }

  void pack(Operation *root, unsigned number, int64_t bytes) {
    auto fused = cast<ir::FusedOp>(root->getParentOp());
    auto argument = dyn_cast<BlockArgument>(contractionSource(root, number));
    if (!argument)
      return; // reads panels already
    Value source = fused.getInputs()[argument.getArgNumber()];
    const bool isFixed = fixedOperandOf(root) == (number == 0 ? FixedOperand::Lhs : FixedOperand::Rhs);
    Value panels = known(root, number, source);
    if (!panels) {
      if (isFixed) {
        func::FuncOp prepare = makePrepare(func_);
        OpBuilder b(prepare.getBody().front().getTerminator());
        panels = addDerived(func_, prepare, addPanels(b, root, number, inPrepare(prepare, source), bytes));
      } else {
        OpBuilder b(fused);
        panels = addPanels(b, root, number, source, bytes);
      }
      known_.push_back({root, fused->getBlock(), number, source, panels});
    }
    read(fused, root, number, argument, panels);
  }

  // The panels of the same operand for a contraction that is packed alike.
  Value known(Operation *root, unsigned number, Value source) {
    for (const Known &one : known_)
      if (one.number == number && one.source == source && one.block == root->getParentOp()->getBlock() &&
          one.root->getName() == root->getName() && one.root->getAttrDictionary() == root->getAttrDictionary() &&
          one.root->getOperandTypes() == root->getOperandTypes() &&
          contractionSource(one.root, 1 - number).getType() == contractionSource(root, 1 - number).getType())
        return one.panels;
    return nullptr;
  }

  // The value in the preparing function that a frozen or derived argument of the program, or a reshape of one, is.
  Value inPrepare(func::FuncOp prepare, Value value) {
    Operation *end = prepare.getBody().front().getTerminator();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      const unsigned first = prepare.getNumArguments();
      return argument.getArgNumber() < first ? Value(prepare.getArgument(argument.getArgNumber()))
                                             : end->getOperand(argument.getArgNumber() - first);
    }
    auto reshape = value.getDefiningOp<ir::ReshapeOp>();
    IRMapping mapping;
    mapping.map(reshape.getInput(), inPrepare(prepare, reshape.getInput()));
    OpBuilder b(end);
    return b.clone(*reshape, mapping)->getResult(0);
  }

  // A kernel with the contraction, in which a constant stands for the other operand.
  Value addPanels(OpBuilder &b, Operation *root, unsigned number, Value input, int64_t bytes) {
    OpBuilder::InsertionGuard guard(b);
    const Location loc = root->getLoc();
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
