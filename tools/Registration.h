#ifndef TOOLS_REGISTRATION_H
#define TOOLS_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace burn::compiler {

/// Registers the burn dialect, all upstream dialects and the extensions of both.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers every pass and named pipeline, upstream and ours, for textual pass pipelines.
void registerPasses();

} // namespace burn::compiler

#endif // TOOLS_REGISTRATION_H
