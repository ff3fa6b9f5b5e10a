// From a serialized graph to burn IR.
#pragma once

#include "runtime/Core/Graph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/OwningOpRef.h"

namespace burn::compiler {

/// Names of unit attributes on arguments of an imported function: a host scalar, a buffer that
/// nobody else holds, a buffer that never changes; and of the string attribute with its name.
inline constexpr llvm::StringLiteral kScalarAttr = "burn.scalar";
inline constexpr llvm::StringLiteral kDonatedAttr = "burn.donated";
inline constexpr llvm::StringLiteral kFrozenAttr = "burn.frozen";
/// An argument that the function which prepares the program computes; these stand behind all others.
inline constexpr llvm::StringLiteral kDerivedAttr = "burn.derived";
/// On that function: the symbol of the program.
inline constexpr llvm::StringLiteral kPreparesAttr = "burn.prepares";
inline constexpr llvm::StringLiteral kNameAttr = "burn.name";

/// A module with one function, `@main`: one argument for each of the graph's, one op for each op, at
/// a location that holds the op's location id. Ops are checked by their rules; an error names the
/// location id of the op at fault. The context needs the burn and func dialects loaded.
core::Expected<mlir::OwningOpRef<mlir::ModuleOp>> importGraph(mlir::MLIRContext &context, const core::Graph &graph);

/// The location of an op of a graph.
mlir::Location graphLocation(mlir::MLIRContext &context, uint32_t id);

/// The line of a source file that a location was made from; null where it has none.
mlir::FileLineColLoc sourceLine(mlir::Location location);

/// Appends the location ids that a location was made from, each once.
void collectLocationIds(mlir::Location location, std::vector<uint32_t> &ids);

} // namespace burn::compiler
