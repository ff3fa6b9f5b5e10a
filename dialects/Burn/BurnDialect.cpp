#include "dialects/Burn/Burn.h"

#include "dialects/Burn/BurnDialect.cpp.inc"
#include "dialects/Burn/BurnEnums.cpp.inc"
#include "dialects/Burn/BurnInterfaces.cpp.inc"

using namespace mlir;
using namespace burn;
using namespace burn::ir;

void BurnDialect::initialize() { registerBurnDialectOperations(this); }

Operation *BurnDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value); elements && elements.getType() == type)
    return ConstantOp::create(builder, loc, type, elements);
  return nullptr;
}
