#include "passes/Targets/Gpu/SpirvValidation.h"

#include "runtime/Core/Spirv.h"

#include <memory>
#include <spirv-tools/libspirv.h>
#include <string_view>

using namespace burn;

namespace {

using Context = std::unique_ptr<spv_context_t, void (*)(spv_context)>;

Context makeContext(spv_target_env environment) { return {spvContextCreate(environment), spvContextDestroy}; }

bool validatorKnowsMatrices() {
  static const bool known = [] {
    constexpr std::string_view text = "OpCapability CooperativeMatrixKHR";
    const Context context = makeContext(SPV_ENV_VULKAN_1_3);
    spv_binary binary = nullptr;
    const spv_result_t result = spvTextToBinary(context.get(), text.data(), text.size(), &binary, nullptr);
    spvBinaryDestroy(binary);
    return result == SPV_SUCCESS;
  }();
  return known;
}

} // namespace

core::Status compiler::validateSpirv(std::span<const uint32_t> words) {
  const bool multipliesMatrices = core::declaresCapability(words, core::kSpirvCooperativeMatrix);
  if (multipliesMatrices && !validatorKnowsMatrices())
    return core::Status::ok();
  const Context context = makeContext(multipliesMatrices ? SPV_ENV_VULKAN_1_3 : SPV_ENV_VULKAN_1_1);
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t result = spvValidateBinary(context.get(), words.data(), words.size(), &diagnostic);
  const std::unique_ptr<spv_diagnostic_t, void (*)(spv_diagnostic)> owner(diagnostic, spvDiagnosticDestroy);
  if (result == SPV_SUCCESS)
    return core::Status::ok();
  return core::Status::error(core::ErrorCode::Internal,
                             std::string("invalid SPIR-V: ") +
                                 (diagnostic ? diagnostic->error : "the validator gives no reason"));
}
