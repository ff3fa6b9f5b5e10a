// Programs of burn ops, put together in C++ for tests.
#pragma once

#include "dialects/Burn/Burn.h"
#include "dialects/Burn/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace burn::fuzz {

using Dims = std::vector<int64_t>;
using Tensors = std::vector<ir::HostTensor>;

/// A module with one function, `@main`, that grows op by op.
class ProgramBuilder {
public:
  explicit ProgramBuilder(mlir::MLIRContext &context);

  /// A further argument of the function, with a unit attribute where `mark` names one.
  mlir::Value argument(const core::TypeDesc &type, llvm::StringRef mark = "");
  mlir::Value constant(const ir::HostTensor &value);

  /// Appends an op, whose result types follow from its rule. Where they do not follow, `type` is the
  /// wanted one. Null where the rule refuses the op; `refusal()` says why.
  mlir::Operation *op(core::OpCode code, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<int64_t> words,
                      const core::TypeDesc *type = nullptr);
  template <typename Attrs>
  mlir::Operation *op(const Attrs &attrs, llvm::ArrayRef<mlir::Value> operands, const core::TypeDesc *type = nullptr) {
    llvm::SmallVector<int64_t> words;
    attrs.encode(words);
    return op(Attrs::op, operands, words, type);
  }
  const std::string &refusal() const { return refusal_; }

  /// What a region takes, and what it does with it: `body` adds ops by this builder and returns what the region yields.
  struct Region {
    std::vector<core::TypeDesc> arguments;
    std::function<std::vector<mlir::Value>(llvm::ArrayRef<mlir::Value>)> body;
  };
  /// Appends an op with regions. `words` of attributes as for other ops.
  mlir::Operation *op(core::OpCode code, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<int64_t> words,
                      llvm::ArrayRef<core::TypeDesc> results, llvm::ArrayRef<Region> regions);

  /// burn.grad of a scalar.
  mlir::ResultRange gradient(mlir::Value loss, llvm::ArrayRef<mlir::Value> wrt);

  /// Ends the function. Its module passes to the caller.
  mlir::OwningOpRef<mlir::ModuleOp> finish(llvm::ArrayRef<mlir::Value> results);

private:
  mlir::OpBuilder builder_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp function_;
  std::vector<std::pair<unsigned, std::string>> marks_;
  std::string refusal_;
};

inline core::TypeDesc typeOf(mlir::Value value) { return *ir::toTypeDesc(value.getType()); }

/// The function of a program.
inline mlir::func::FuncOp functionOf(mlir::ModuleOp module) { return *module.getOps<mlir::func::FuncOp>().begin(); }

} // namespace burn::fuzz
