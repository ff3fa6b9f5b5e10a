// burn-cache: looks into the kernel cache, and makes it smaller.

#include <burn/cache.h>
#include <burn/version.h>

#include "runtime/Core/ByteSize.h"
#include "tools/RunTool.h"
#include "tools/burn-cache/Prune.h"
#include "tools/burn-cache/Show.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace {

constexpr int kProblem = 1;
constexpr int kUsage = 2;

std::string readableSize(uint64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double size = static_cast<double>(bytes);
  size_t unit = 0;
  while (size >= 1024 && unit + 1 < std::size(units)) {
    size /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", size, units[unit]);
}

std::string readableTime(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm local{};
  if (!localtime_r(&time, &local))
    return "?";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                     local.tm_hour, local.tm_min);
}

const char *stateName(burn::CacheEntryState state) {
  switch (state) {
  case burn::CacheEntryState::Sound:
    return "sound";
  case burn::CacheEntryState::Stale:
    return "stale";
  case burn::CacheEntryState::Damaged:
    return "damaged";
  }
  return "?";
}

const char *plural(size_t count, const char *one, const char *many) { return count == 1 ? one : many; }

int list(const std::string &directory) {
  std::vector<burn::CacheEntryInfo> entries = burn::cache_entries(directory);
  std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) { return a.last_use > b.last_use; });
  uint64_t bytes = 0;
  if (!entries.empty())
    fmt::print("{:<35}  {:>10}  {:<16}  {:>7}  {:<6}  {:<15}  {}\n", "FILE", "SIZE", "LAST USE", "KERNELS", "SOURCE",
               "CPU", "STATE");
  for (const burn::CacheEntryInfo &entry : entries) {
    bytes += entry.bytes;
    std::string state = stateName(entry.state);
    if (!entry.problem.empty())
      state += ": " + entry.problem;
    else if (!entry.options.empty())
      state += ", " + entry.options;
    fmt::print("{:<35}  {:>10}  {:<16}  {:>7}  {:<6}  {:<15}  {}\n", entry.file, readableSize(entry.bytes),
               readableTime(entry.last_use), entry.kernels, entry.source, entry.cpu, state);
  }
  const auto winners = static_cast<size_t>(
      std::count_if(entries.begin(), entries.end(), [](const auto &entry) { return entry.source == "winner"; }));
  const size_t plans = entries.size() - winners;
  const std::string beside =
      winners ? fmt::format(" and {} {} of measurements", winners, plural(winners, "winner", "winners")) : "";
  fmt::print("{} {}{}, {} in {}\n", plans, plural(plans, "plan", "plans"), beside, readableSize(bytes), directory);
  return 0;
}

int verify(const std::string &directory) {
  size_t sound = 0, stale = 0, damaged = 0;
  for (const burn::CacheEntryInfo &entry : burn::cache_entries(directory)) {
    switch (entry.state) {
    case burn::CacheEntryState::Sound:
      ++sound;
      continue;
    case burn::CacheEntryState::Stale:
      ++stale;
      break;
    case burn::CacheEntryState::Damaged:
      ++damaged;
      break;
    }
    fmt::print("{}/{}: {}: {}\n", directory, entry.file, stateName(entry.state), entry.problem);
  }
  fmt::print("{} sound, {} stale, {} damaged\n", sound, stale, damaged);
  return damaged ? kProblem : 0;
}

int prune(const std::string &directory, const burn::tools::PruneOptions &options, bool isDry) {
  const std::vector<burn::CacheEntryInfo> entries = burn::cache_entries(directory);
  uint64_t before = 0, removed = 0;
  for (const burn::CacheEntryInfo &entry : entries)
    before += entry.bytes;
  const auto pruned = burn::tools::entriesToPrune(entries, options, std::time(nullptr));
  for (const burn::CacheEntryInfo &entry : pruned) {
    // A program that has it open or mapped keeps it; one that is gone already is no problem.
    std::error_code error;
    if (!isDry)
      std::filesystem::remove(std::filesystem::path(directory) / entry.file, error);
    if (error) {
      fmt::print(stderr, "burn-cache: cannot remove {}/{}: {}\n", directory, entry.file, error.message());
      return kProblem;
    }
    removed += entry.bytes;
  }
  const size_t left = entries.size() - pruned.size();
  fmt::print("{} {} {}, {}; {} {}, {} {} in {}\n", isDry ? "would remove" : "removed", pruned.size(),
             plural(pruned.size(), "entry", "entries"), readableSize(removed), left, plural(left, "entry", "entries"),
             readableSize(before - removed), isDry ? "would be left" : "left", directory);
  return 0;
}

int run(int argc, char **argv) {
  CLI::App app(
      "burn-cache: looks into the kernel cache, where compiled plans are kept between runs, and makes it smaller.\n"
      "Programs never use a stale or damaged plan: they compile anew and replace it.");
  app.footer(
      "The cache is the folder $BURN_CACHE_DIR, else $XDG_CACHE_HOME/burn, else ~/.cache/burn. It may be removed\n"
      "at any time. BURN_CACHE=off turns it off, BURN_CACHE_SIZE (4G by default) limits its size.\n"
      "\n"
      "Exit code 0: done. 1: a plan is damaged, or the folder cannot be used. 2: wrong command line.\n"
      "\n"
      "  burn-cache list\n"
      "  burn-cache show 0f3a\n"
      "  burn-cache prune --older-than 30d --size 1G\n"
      "  burn-cache verify --dir /var/cache/burn");
  app.set_version_flag("--version", std::string("burn-cache ") + burn::version());
  app.require_subcommand(1);
  app.fallthrough();
  std::string directory;
  app.add_option("--dir", directory, "folder of the cache, in place of the one that the environment names")
      ->type_name("FOLDER");
  const CLI::App *listCommand =
      app.add_subcommand("list", "one line a plan: file, size, last use, kernels, what was compiled and for which "
                                 "processor; the most recently used first");
  std::string file;
  CLI::App *showCommand = app.add_subcommand(
      "show", "what is in a plan: arguments, results, kernels; of one for a GPU its steps and shaders as text");
  showCommand->add_option("file", file, "name of its file, or how that begins")->required()->type_name("FILE");
  CLI::App *pruneCommand = app.add_subcommand(
      "prune", "remove entries by their last use, or until the rest fits a size, those used longest ago first");
  std::string age, size;
  bool isDry = false;
  burn::tools::PruneOptions pruneOptions;
  const auto *ageOption = pruneCommand->add_option("--older-than", age, "those not used for 30d, 12h, 45m or 10s")
                              ->type_name("AGE")
                              ->check([](const std::string &text) {
                                return burn::tools::parseAge(text)
                                           ? std::string()
                                           : "expected a number with d, h, m or s, got '" + text + "'";
                              });
  const auto *sizeOption =
      pruneCommand->add_option("--size", size, "until all that is left has this size, as 500M")
          ->type_name("SIZE")
          ->check([](const std::string &text) {
            return burn::core::parseByteSize(text.c_str())
                       ? std::string()
                       : std::string("expected ") + burn::core::kByteSizeText + ", got '" + text + "'";
          });
  const auto *unusableOption =
      pruneCommand->add_flag("--unusable", pruneOptions.unusable, "those that no program would use: stale or damaged");
  pruneCommand->add_flag("--dry-run", isDry, "say what would be removed, and remove nothing");
  app.add_subcommand("verify", "read every plan in full, check it, and name those that are stale or damaged");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (pruneCommand->parsed() && ageOption->empty() && sizeOption->empty() && unusableOption->empty()) {
    fmt::print(stderr, "burn-cache: prune: say what is to be removed: --older-than, --size or --unusable\n");
    return kUsage;
  }

  if (directory.empty())
    directory = burn::cache_directory();
  if (directory.empty()) {
    fmt::print(stderr, "burn-cache: the cache is off (BURN_CACHE=off, or no home folder); name one with --dir\n");
    return kProblem;
  }
  if (showCommand->parsed()) {
    fmt::print("{}", burn::tools::show(burn::read_cache_entry(directory, file)));
    return 0;
  }
  if (pruneCommand->parsed()) {
    if (!ageOption->empty())
      pruneOptions.age = burn::tools::parseAge(age);
    if (!sizeOption->empty())
      pruneOptions.size = static_cast<uint64_t>(*burn::core::parseByteSize(size.c_str()));
    return prune(directory, pruneOptions, isDry);
  }
  return listCommand->parsed() ? list(directory) : verify(directory);
}

} // namespace

int main(int argc, char **argv) {
  return burn::tools::runTool("burn-cache", [&] { return run(argc, argv); });
}
