// Arguments for programs.
#pragma once

#include "dialects/Burn/Burn.h"
#include "dialects/Burn/Interpreter/Interpreter.h"

#include <cstring>

namespace burn::test {

/// Floats of [-1, 1) that follow from the seed.
inline ir::HostTensor filled(const Shape &shape, uint32_t seed) {
  ir::HostTensor tensor(core::TypeDesc{DType::F32, shape});
  for (int64_t i = 0; i < shape.numel(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    const float value = static_cast<float>(static_cast<int32_t>(seed)) * 0x1p-31f;
    std::memcpy(tensor.bytes.data() + 4 * i, &value, 4);
  }
  return tensor;
}

/// Makes a constant of an argument of the program's first function.
inline void makeConstant(mlir::ModuleOp module, unsigned number, const ir::HostTensor &value) {
  mlir::func::FuncOp main = *module.getOps<mlir::func::FuncOp>().begin();
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&main.getBody().front());
  mlir::Value constant = ir::ConstantOp::create(builder, main.getLoc(), ir::toElementsAttr(module.getContext(), value));
  main.getArgument(number).replaceAllUsesWith(constant);
  (void)main.eraseArgument(number);
}

} // namespace burn::test
