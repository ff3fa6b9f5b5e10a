#include "passes/Targets/Gpu/SpirvValidation.h"

#include <memory>
#include <spirv-tools/libspirv.h>

using namespace burn;

core::Status compiler::validateSpirv(std::span<const uint32_t> words) {
  const std::unique_ptr<spv_context_t, void (*)(spv_context)> context(spvContextCreate(SPV_ENV_VULKAN_1_1),
                                                                      spvContextDestroy);
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t result = spvValidateBinary(context.get(), words.data(), words.size(), &diagnostic);
  const std::unique_ptr<spv_diagnostic_t, void (*)(spv_diagnostic)> owner(diagnostic, spvDiagnosticDestroy);
  if (result == SPV_SUCCESS)
    return core::Status::ok();
  return core::Status::error(core::ErrorCode::Internal,
                             std::string("invalid SPIR-V: ") +
                                 (diagnostic ? diagnostic->error : "the validator gives no reason"));
}
