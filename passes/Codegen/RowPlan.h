// How the kernel of a row cluster does its work: choices that affect speed and nothing else.
#pragma once

#include "dialects/Burn/Burn.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace burn::compiler {

/// Name of the attribute that holds the plan of a cluster.
inline constexpr llvm::StringLiteral rowPlanAttrName = "burn.rows";

struct RowPlan {
  /// Elements that one task reads at least.
  int64_t taskElements = 16384;
  /// Costly values that several sweeps over a short row need are kept on the stack; else they are computed again.
  bool keeps = true;
  /// Asks for what the next row holds, where operands come from memory.
  bool prefetches = true;

  friend bool operator==(const RowPlan &, const RowPlan &) = default;
};

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, const RowPlan &plan);

/// A plan from its attribute; nullopt for a malformed one.
std::optional<RowPlan> readRowPlan(mlir::Attribute attribute);

/// The plan that stands on the cluster, else the usual one. A malformed one is an error reported at the cluster.
mlir::FailureOr<RowPlan> rowPlanFor(ir::FusedOp fused);

/// Describes a row cluster: TunableKernel::key.
std::string rowKey(ir::FusedOp fused);

/// The usual plan and those beside it, at most `most`; 0 for all.
llvm::SmallVector<RowPlan> rowPlanCandidates(size_t most);

/// An estimate of the cycles that the cluster takes.
double rowCycles(ir::FusedOp fused);

} // namespace burn::compiler
