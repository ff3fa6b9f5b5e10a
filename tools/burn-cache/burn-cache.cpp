// burn-cache: looks into the kernel cache.

#include <burn/cache.h>
#include <burn/version.h>

#include "tools/RunTool.h"
#include "tools/burn-cache/Show.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
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

int run(int argc, char **argv) {
  CLI::App app("burn-cache: looks into the kernel cache, where compiled plans are kept between runs.\n"
               "Programs never use a stale or damaged plan: they compile anew and replace it.");
  app.footer(
      "The cache is the folder $BURN_CACHE_DIR, else $XDG_CACHE_HOME/burn, else ~/.cache/burn. It may be removed\n"
      "at any time. BURN_CACHE=off turns it off, BURN_CACHE_SIZE (4G by default) limits its size.\n"
      "\n"
      "Exit code 0: done. 1: a plan is damaged, or the folder cannot be used. 2: wrong command line.\n"
      "\n"
      "  burn-cache list\n"
      "  burn-cache show 0f3a\n"
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
  app.add_subcommand("verify", "read every plan in full, check it, and name those that are stale or damaged");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : kUsage;
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
  return listCommand->parsed() ? list(directory) : verify(directory);
}

} // namespace

int main(int argc, char **argv) {
  return burn::tools::runTool("burn-cache", [&] { return run(argc, argv); });
}
