#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace burn::compiler {

/// Index arithmetic against constants and loops whose bodies are callables:
/// what nests of a shape known only to the generator are written with.
struct IndexEmitter : mlir::ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(*this, value); }
  mlir::Value add(mlir::Value a, mlir::Value b) { return createOrFold<mlir::arith::AddIOp>(a, b); }
  mlir::Value add(mlir::Value a, int64_t b) { return b == 0 ? a : add(a, index(b)); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return createOrFold<mlir::arith::SubIOp>(a, b); }
  mlir::Value mul(mlir::Value a, int64_t b) { return createOrFold<mlir::arith::MulIOp>(a, index(b)); }
  mlir::Value div(mlir::Value a, int64_t b) { return createOrFold<mlir::arith::DivUIOp>(a, index(b)); }
  mlir::Value rem(mlir::Value a, int64_t b) {
    return b == 1 ? index(0) : createOrFold<mlir::arith::RemUIOp>(a, index(b));
  }
  mlir::Value min(mlir::Value a, mlir::Value b) { return createOrFold<mlir::arith::MinSIOp>(a, b); }
  mlir::Value max(mlir::Value a, mlir::Value b) { return createOrFold<mlir::arith::MaxSIOp>(a, b); }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return createOrFold<mlir::arith::CmpIOp>(predicate, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return createOrFold<mlir::arith::SelectOp>(condition, a, b);
  }

  /// for (i = lo; i < hi; i += step) carrying `init`.
  Values loop(mlir::Value lo, mlir::Value hi, int64_t step, mlir::ValueRange init,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body) {
    auto op = mlir::scf::ForOp::create(*this, lo, hi, index(step), init);
    mlir::OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(op.getBody());
    Values results = body(op.getInductionVar(), op.getRegionIterArgs());
    // Without carried values the op comes with its terminator.
    if (!init.empty())
      mlir::scf::YieldOp::create(*this, results);
    return Values(op.getResults());
  }
  void loop(mlir::Value lo, mlir::Value hi, int64_t step, llvm::function_ref<void(mlir::Value)> body) {
    loop(lo, hi, step, {}, [&](mlir::Value i, mlir::ValueRange) -> Values {
      body(i);
      return {};
    });
  }
  void when(mlir::Value condition, llvm::function_ref<void()> body) {
    auto op = mlir::scf::IfOp::create(*this, condition, false);
    mlir::OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(op.thenBlock());
    body();
  }
  /// The values of one of two blocks, which give values of the same types.
  Values either(mlir::Value condition, mlir::TypeRange types, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise) {
    auto op = mlir::scf::IfOp::create(*this, types, condition, true);
    mlir::OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(op.thenBlock());
    mlir::scf::YieldOp::create(*this, then());
    setInsertionPointToStart(op.elseBlock());
    mlir::scf::YieldOp::create(*this, otherwise());
    return Values(op.getResults());
  }
  void either(mlir::Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
    auto op = mlir::scf::IfOp::create(*this, condition, true);
    mlir::OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(op.thenBlock());
    then();
    setInsertionPointToStart(op.elseBlock());
    otherwise();
  }
};

} // namespace burn::compiler
