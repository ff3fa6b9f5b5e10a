#include <burn/cache.h>
#include <burn/error.h>

#include "runtime/Cache/DiskCache.h"
#include "runtime/Compiler/PlanKey.h"
#include "runtime/Core/Executable.h"

namespace burn {

using namespace runtime;

namespace {

CacheEntryInfo describe(const EntryReport &report) {
  CacheEntryInfo info;
  info.file = report.name;
  info.bytes = report.bytes;
  info.last_use = report.lastUse;
  info.problem = report.problem.value_or("");
  if (report.problem)
    info.state = report.isStale ? CacheEntryState::Stale : CacheEntryState::Damaged;
  if (!report.contents)
    return info;
  const core::Expected<CacheEntry> entry = parseEntry(*report.contents);
  const auto unreadable = [&](const core::Status &status) {
    info.state = CacheEntryState::Damaged;
    info.problem = status.message();
    return info;
  };
  if (!entry)
    return unreadable(entry.status());
  const core::Expected<PlanKeyParts> key = parsePlanKey(entry->key);
  if (!key || key->kind < SourceKind::DriverCache) {
    const core::Expected<core::Plan> plan = core::parsePlan(entry->plan);
    if (!plan)
      return unreadable(plan.status());
    info.kernels = plan->kernels.size();
  }
  if (key) {
    static constexpr const char *sources[] = {"graph", "mlir", "driver", "winner"};
    info.source = sources[static_cast<size_t>(key->kind)];
    if (key->kind == SourceKind::Winner)
      info.kernel.assign(reinterpret_cast<const char *>(key->program.data()), key->program.size());
    info.cpu = key->target.cpu;
    info.build_id = key->buildId;
    const auto option = [&](bool isSet, const char *name) {
      if (isSet)
        info.options.append(info.options.empty() ? "" : " ").append(name);
    };
    option(!key->options.fusion, "unfused");
    option(!key->options.deterministic, "nondeterministic");
    option(key->options.fastMath, "fast-math");
    option(key->options.manyThreads, "many-threads");
    static constexpr const char *tunings[] = {"", "winners", "tuned", "exhaustive"};
    option(key->options.tuning != Tuning::Off, tunings[static_cast<size_t>(key->options.tuning)]);
  }
  return info;
}

} // namespace

namespace {

std::vector<EntryReport> reportsOf(const std::string &directory) {
  DiskCacheOptions options;
  options.directory = directory;
  const DiskCache cache(options);
  std::string error;
  std::vector<EntryReport> reports = cache.list(&error);
  if (!error.empty() && !cache.isMissing())
    throw Error(ErrorCode::Io, "cannot read the kernel cache " + directory + ": " + error);
  return reports;
}

} // namespace

std::string cache_directory() { return DiskCacheOptions::fromEnvironment().directory; }

std::vector<CacheEntryInfo> cache_entries(const std::string &directory) {
  std::vector<CacheEntryInfo> entries;
  for (const EntryReport &report : reportsOf(directory))
    entries.push_back(describe(report));
  return entries;
}

CacheEntryContents read_cache_entry(const std::string &directory, const std::string &file) {
  std::vector<EntryReport> found = reportsOf(directory);
  std::erase_if(found, [&](const EntryReport &report) { return !report.name.starts_with(file); });
  if (found.size() != 1)
    throw Error(ErrorCode::NotFound, "the kernel cache " + directory + " has " + std::to_string(found.size()) +
                                         " entries whose names begin with '" + file + "'");
  CacheEntryContents contents{describe(found.front()), {}, {}};
  if (contents.info.state != CacheEntryState::Sound)
    throw Error(ErrorCode::DataLoss, directory + "/" + contents.info.file + ": " + contents.info.problem);
  const core::Expected<CacheEntry> entry = parseEntry(*found.front().contents);
  contents.code.assign(entry->elf.begin(), entry->elf.end());
  contents.plan.assign(entry->plan.begin(), entry->plan.end());
  return contents;
}

} // namespace burn
