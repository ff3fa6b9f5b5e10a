// Contraction kernels made, loaded and called for tests and benchmarks.
#pragma once

#include "test/unit/compiler/LoadedModule.h"

#include "passes/Codegen/Contraction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

namespace burn::compiler::test {

/// What an epilogue of a test may add to the signature: one more flat tensor.
using TestEpilogue =
    std::function<void(mlir::OpBuilder &, mlir::Location, const OutputVector &, mlir::Value extra, mlir::Value out)>;

/// A kernel `void(lhs, rhs, out, extra, scratch, begin, end)` of a contraction.
class ContractionKernel {
public:
  ContractionKernel(const Contraction &contraction, const ContractionTiling &tiling, const CpuTarget &target,
                    llvm::function_ref<mlir::Type(mlir::MLIRContext *)> elementType, int64_t extraElements = 1,
                    const TestEpilogue &epilogue = {})
      : tasks(contractionTaskCount(contraction, tiling)),
        scratchElements(contractionScratchElements(contraction, tiling)), context(makeCpuContext()) {
    mlir::OpBuilder builder(context.get());
    mlir::Location loc = builder.getUnknownLoc();
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
    mlir::Type element = elementType(context.get());
    int64_t lhsElements = contraction.lhsIsRows ? contraction.rowsElements : contraction.lanesElements;
    int64_t rhsElements = contraction.lhsIsRows ? contraction.lanesElements : contraction.rowsElements;
    auto flat = [&](int64_t count) { return mlir::MemRefType::get({std::max<int64_t>(count, 1)}, element); };
    llvm::SmallVector<mlir::Type> types = {flat(lhsElements),     flat(rhsElements),     flat(contraction.outElements),
                                           flat(extraElements),   flat(scratchElements), builder.getIndexType(),
                                           builder.getIndexType()};
    builder.setInsertionPointToStart(module->getBody());
    auto func = mlir::func::FuncOp::create(builder, loc, "kernel", builder.getFunctionType(types, {}));
    for (unsigned i = 0; i < 5; ++i)
      func.setArgAttr(i, "llvm.noalias", builder.getUnitAttr());
    mlir::Block *entry = func.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    const auto kind = ir::ScalarKind::get(element);
    const ContractionKinds kinds = {kind, kind, kind, kind};
    ContractionOperands operands;
    operands.lhs = entry->getArgument(0);
    operands.rhs = entry->getArgument(1);
    operands.out = entry->getArgument(2);
    operands.scratch = entry->getArgument(4);
    operands.kinds = kinds;
    ContractionEpilogue wrapped;
    if (epilogue)
      wrapped = [&](mlir::OpBuilder &b, mlir::Location l, const OutputVector &vector) {
        epilogue(b, l, vector, entry->getArgument(3), entry->getArgument(2));
      };
    emitContraction(builder, loc, contraction, tiling, operands, entry->getArgument(5), entry->getArgument(6), wrapped);
    mlir::func::ReturnOp::create(builder, loc);
    if (mlir::failed(mlir::verify(*module))) {
      error = "the emitted function is invalid";
      return;
    }
    code = std::make_unique<LoadedModule>(*module, target);
    error = code->error;
    function = code->find<void(const void *, const void *, void *, const void *, void *, int64_t, int64_t)>("kernel");
  }

  /// Runs all tasks, `chunk` in a call. False where a call wrote beyond its scratch memory.
  template <typename T>
  bool run(const T *lhs, const T *rhs, T *out, const T *extra = nullptr, int64_t chunk = 1 << 30) {
    constexpr int64_t guard = 64;
    std::vector<T> scratch(scratchElements + 2 * guard + 16, T(55));
    auto address = reinterpret_cast<uintptr_t>(scratch.data() + guard);
    T *aligned = reinterpret_cast<T *>((address + 63) & ~uintptr_t(63));
    for (int64_t begin = 0; begin < tasks; begin += chunk)
      function(lhs, rhs, out, extra, aligned, begin, std::min(tasks, begin + chunk));
    auto untouched = [](T value) { return value == T(55); };
    return std::all_of(scratch.data(), aligned, untouched) &&
           std::all_of(aligned + scratchElements, scratch.data() + scratch.size(), untouched);
  }

  std::string error;
  int64_t tasks, scratchElements;
  void (*function)(const void *, const void *, void *, const void *, void *, int64_t, int64_t) = nullptr;

private:
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<LoadedModule> code;
};

inline CpuTargetInfo infoOf(const CpuTarget &target) { return llvm::cantFail(describeTarget(target)); }

/// Multi-index of a row-major linear index.
inline std::vector<int64_t> unflatten(int64_t linear, llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> at(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    at[i] = linear % shape[i];
    linear /= shape[i];
  }
  return at;
}
inline int64_t flatten(llvm::ArrayRef<int64_t> at, llvm::ArrayRef<int64_t> shape) {
  int64_t linear = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    linear = linear * shape[i] + at[i];
  return linear;
}
inline int64_t elements(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

} // namespace burn::compiler::test
