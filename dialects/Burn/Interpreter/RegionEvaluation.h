// The meaning of ops with regions.
#pragma once

#include "dialects/Burn/Interpreter/HostTensor.h"

#include "runtime/Core/Status.h"

#include "mlir/IR/Operation.h"

#include <memory>

namespace burn::ir {

/// Tensors are shared, so that a value has one copy inside and outside of a region.
using SharedTensor = std::shared_ptr<const HostTensor>;
using SharedTensors = std::vector<SharedTensor>;

/// Runs a region on arguments and returns what it yields.
using RunRegion = llvm::function_ref<core::Expected<SharedTensors>(mlir::Region &, SharedTensors)>;

/// Runs an op with regions on its operands.
core::Expected<SharedTensors> evaluateRegions(mlir::Operation *op, const SharedTensors &operands, RunRegion run);

} // namespace burn::ir
