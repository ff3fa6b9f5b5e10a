#include "runtime/Compiler/PlanKey.h"

#include "runtime/Cache/CacheEntry.h"
#include "runtime/Core/BuildId.h"
#include "runtime/Core/Bytes.h"

namespace burn::runtime {

namespace {

// Version of the layout below.
constexpr uint32_t kKeyVersion = 4;

} // namespace

std::vector<std::byte> makePlanKey(SourceKind kind, std::span<const std::byte> program, const PlanOptions &options,
                                   const PlanTarget &target) {
  std::vector<std::byte> key;
  key.reserve(program.size() + target.features.size() + target.driver.size() + 128);
  core::ByteWriter writer(key);
  writer.put(kKeyVersion);
  writer.put(kind);
  writer.put(options.fusion);
  writer.put(options.deterministic);
  writer.put(options.fastMath);
  writer.put(options.manyThreads);
  writer.put(options.tuning);
  writer.put(std::string_view(core::compilerBuildId()));
  writer.put(static_cast<uint8_t>(target.kind));
  writer.put(std::string_view(target.cpu));
  writer.put(std::string_view(target.features));
  writer.put(std::string_view(target.driver));
  key.insert(key.end(), program.begin(), program.end());
  return key;
}

core::Expected<std::vector<std::byte>> makeDriverCacheKey(std::span<const std::byte> planKey) {
  const core::Expected<PlanKeyParts> parts = parsePlanKey(planKey);
  if (!parts)
    return parts.status();
  const KeyHash hash = hashKey(planKey);
  const uint64_t words[] = {hash.high, hash.low};
  return makePlanKey(SourceKind::DriverCache, std::as_bytes(std::span(words)), parts->options, parts->target);
}

core::Expected<PlanKeyParts> parsePlanKey(std::span<const std::byte> key) {
  core::ByteReader reader(key);
  PlanKeyParts parts;
  const auto version = reader.get<uint32_t>();
  parts.kind = static_cast<SourceKind>(reader.get<uint8_t>());
  for (bool *option :
       {&parts.options.fusion, &parts.options.deterministic, &parts.options.fastMath, &parts.options.manyThreads}) {
    const auto value = reader.get<uint8_t>();
    if (value > 1)
      reader.fail();
    *option = value;
  }
  const auto tuning = reader.get<uint8_t>();
  if (tuning > static_cast<uint8_t>(Tuning::Full))
    reader.fail();
  parts.options.tuning = static_cast<Tuning>(tuning);
  parts.buildId = reader.text();
  const auto device = reader.get<uint8_t>();
  if (device > BURN_DEVICE_VULKAN)
    reader.fail();
  else
    parts.target.kind = static_cast<burn_device_kind>(device);
  parts.target.cpu = reader.text();
  parts.target.features = reader.text();
  parts.target.driver = reader.text();
  parts.program = key.last(reader.remaining());
  if (!reader.ok() || version != kKeyVersion || parts.kind > SourceKind::Winner)
    return core::Status::error(core::ErrorCode::DataLoss, "malformed plan key");
  return parts;
}

} // namespace burn::runtime
