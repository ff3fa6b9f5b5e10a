// Panels of operands whose elements are known when the program is compiled.
#pragma once

#include "dialects/Burn/Interpreter/HostTensor.h"
#include "passes/Codegen/Contraction.h"
#include "passes/Codegen/DirectConvolution.h"

namespace burn::compiler {

/// What the code of emitPanels makes of an operand with these elements: the bytes of its panels, of readyPanelElements.
/// Lanes that do not exist are zeros here. Operands are read as they are, or converted to the type of sums.
std::vector<std::byte> packedPanels(const Contraction &contraction, const ContractionTiling &tiling,
                                    const ContractionKinds &kinds, bool rows, const ir::HostTensor &operand);

/// The same of emitKernelPanels and a kernel.
std::vector<std::byte> packedKernel(const DirectConvolution &conv, const DirectPanels &panels,
                                    const ContractionKinds &kinds, const ir::HostTensor &kernel);

} // namespace burn::compiler
