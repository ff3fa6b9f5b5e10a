// Verification of ops with regions.
#include "dialects/Burn/Burn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

//===-- Regions -------------------------------------------------------------------------------===//

namespace {

using Types = SmallVectorImpl<Type>;

void append(Types &types, TypeRange more) { types.append(more.begin(), more.end()); }

void appendFloats(Types &types, TypeRange more) {
  for (Type type : more)
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      types.push_back(type);
}

} // namespace

LogicalResult ir::verifyRegionTypes(Operation *op) {
  auto regionOp = cast<RegionOpInterface>(op);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    SmallVector<Type> arguments, results;
    regionOp.getRegionTypes(region.getRegionNumber(), arguments, results);
    const auto error = [&] {
      InFlightDiagnostic diagnostic = op->emitOpError("expects ");
      if (op->getNumRegions() > 1)
        diagnostic << "region " << region.getRegionNumber() << " to have ";
      return diagnostic;
    };
    Block &block = region.front();
    if (block.getArgumentTypes() != TypeRange(arguments))
      return error() << "region arguments of types " << arguments << ", got " << block.getArgumentTypes();
    auto yield = dyn_cast_or_null<YieldOp>(block.empty() ? nullptr : &block.back());
    if (!yield)
      return error() << "burn.yield at its end";
    if (yield.getValues().getTypes() != TypeRange(results))
      return error() << "yielded values of types " << results << ", got " << yield.getValues().getTypes();
    for (Operation &inner : block)
      if (!opInfo(&inner))
        return op->emitOpError("expects burn ops only").attachNote(inner.getLoc()) << "see this op";
  }
  return success();
}

void ir::nameRegionArguments(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "in");
}

SmallVector<Value> ir::inlineRegion(OpBuilder &builder, Region &region, ValueRange arguments) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

void FusedOp::getRegionTypes(unsigned, Types &arguments, Types &results) {
  append(arguments, getInputs().getTypes()); // (C1)
  append(results, getResultTypes());         // (C2)
}

//===-- Control flow --------------------------------------------------------------------------===//

void IfOp::getRegionTypes(unsigned, Types &arguments, Types &results) {
  append(arguments, getInputs().getTypes()); // (C3)
  append(results, getResultTypes());         // (C4)
}

void ForOp::getRegionTypes(unsigned, Types &arguments, Types &results) {
  arguments.push_back(getLower().getType()); // (C4)
  append(arguments, getResultTypes());
  append(arguments, getInvariants().getTypes());
  append(results, getResultTypes()); // (C5)
}

void WhileOp::getRegionTypes(unsigned region, Types &arguments, Types &results) {
  append(arguments, getResultTypes()); // (C3)
  append(arguments, getInvariants().getTypes());
  if (region == getCond().getRegionNumber())
    results.push_back(RankedTensorType::get({}, IntegerType::get(getContext(), 1))); // (C4)
  else
    append(results, getResultTypes()); // (C5)
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee || callee.isExternal()) // (C1)
    return emitOpError("expects a function of the module with a body, got ") << getCalleeAttr();
  if (callee.getArgumentTypes() != getInputs().getTypes() || callee.getResultTypes() != getResultTypes()) { // (C2)
    InFlightDiagnostic error = emitOpError("expects a callee of type ")
                               << FunctionType::get(getContext(), getInputs().getTypes(), getResultTypes()) << ", got "
                               << callee.getFunctionType();
    error.attachNote(callee.getLoc()) << "see the callee";
    return error;
  }
  return success();
}

void CustomKernelOp::getRegionTypes(unsigned, Types &arguments, Types &results) {
  append(arguments, getInputs().getTypes()); // (C3)
  append(results, getResultTypes());         // (C4)
}

//===-- Derivatives ---------------------------------------------------------------------------===//

void CheckpointOp::getRegionTypes(unsigned, Types &arguments, Types &results) {
  append(arguments, getInputs().getTypes()); // (C2)
  append(results, getResultTypes());         // (C3)
}

void CustomVjpOp::getRegionTypes(unsigned region, Types &arguments, Types &results) {
  append(arguments, getInputs().getTypes());
  if (region == getForward().getRegionNumber()) {
    append(arguments, getCaptured().getTypes()); // (C2)
    append(results, getResultTypes());           // (C3)
    return;
  }
  append(arguments, getResultTypes()); // (C4)
  appendFloats(arguments, getResultTypes());
  append(arguments, getCaptured().getTypes());
  appendFloats(results, getInputs().getTypes()); // (C5)
}
