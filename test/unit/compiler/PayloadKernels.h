#ifndef BURN_TEST_UNIT_COMPILER_PAYLOADKERNELS_H
#define BURN_TEST_UNIT_COMPILER_PAYLOADKERNELS_H

#include "dialects/Burn/ScalarPayloads.h"
#include "test/unit/compiler/LoadedModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <functional>
#include <map>

namespace burn::compiler::test {

/// Native loops over blocks of elements, one a payload.
class PayloadKernels {
public:
  static constexpr int64_t block = 4096;
  using Payload = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, llvm::ArrayRef<mlir::Value>)>;

  PayloadKernels() : context(makeCpuContext()), builder(context.get()) {
    module = mlir::ModuleOp::create(builder.getUnknownLoc());
  }

  /// Adds a loop under `name` on scalars (`lanes` 1) or vectors.
  void add(const std::string &name, llvm::ArrayRef<ir::ScalarKind> operands, ir::ScalarKind result, int64_t lanes,
           const Payload &payload) {
    using namespace mlir;
    Location loc = builder.getUnknownLoc();
    SmallVector<Type> types;
    auto memory = [&](ir::ScalarKind kind) { return MemRefType::get({block}, kind.getStorage(context.get())); };
    for (ir::ScalarKind kind : operands)
      types.push_back(memory(kind));
    types.push_back(memory(result));
    builder.setInsertionPointToEnd(module->getBody());
    auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
    Block *entry = function.addEntryBlock();
    builder.setInsertionPointToEnd(entry);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value end = arith::ConstantIndexOp::create(builder, loc, block);
    Value step = arith::ConstantIndexOp::create(builder, loc, lanes);
    auto loop = scf::ForOp::create(builder, loc, zero, end, step);
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPointToStart(loop.getBody());
    Value index = loop.getInductionVar();
    auto shaped = [&](Type element) { return lanes == 1 ? element : Type(VectorType::get({lanes}, element)); };
    SmallVector<Value> values;
    for (auto [i, kind] : llvm::enumerate(operands)) {
      Type type = shaped(kind.getStorage(context.get()));
      Value value =
          lanes == 1
              ? Value(memref::LoadOp::create(builder, loc, entry->getArgument(i), index))
              : Value(vector::LoadOp::create(builder, loc, cast<VectorType>(type), entry->getArgument(i), index));
      if (kind.isBool())
        value = arith::TruncIOp::create(builder, loc, shaped(builder.getI1Type()), value);
      values.push_back(value);
    }
    Value value = payload(builder, loc, values);
    if (result.isBool())
      value = arith::ExtUIOp::create(builder, loc, shaped(builder.getI8Type()), value);
    Value out = entry->getArgument(operands.size());
    if (lanes == 1)
      memref::StoreOp::create(builder, loc, value, out, index);
    else
      vector::StoreOp::create(builder, loc, value, out, index);
  }

  /// Compiles what was added; returns why it failed, or nothing.
  std::string compile(const CpuTarget &target) {
    loaded = std::make_unique<LoadedModule>(*module, target);
    return loaded->error;
  }

  /// Runs a loop over whole blocks of `count` elements.
  template <typename... Pointers> void run(const std::string &name, int64_t count, Pointers... pointers) {
    auto *function = loaded->find<void(Pointers...)>(name.c_str());
    for (int64_t i = 0; i < count; i += block)
      function((pointers + i)...);
  }

private:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<LoadedModule> loaded;
};

inline ir::ScalarKind floatKind(unsigned width) { return {ir::ScalarKind::Class::Float, width}; }
inline ir::ScalarKind bf16Kind() { return {ir::ScalarKind::Class::Float, 16, true}; }
inline ir::ScalarKind signedKind(unsigned width) { return {ir::ScalarKind::Class::Signed, width}; }
inline ir::ScalarKind unsignedKind(unsigned width) { return {ir::ScalarKind::Class::Unsigned, width}; }
inline ir::ScalarKind boolKind() { return {ir::ScalarKind::Class::Bool, 1}; }

} // namespace burn::compiler::test

#endif // BURN_TEST_UNIT_COMPILER_PAYLOADKERNELS_H
