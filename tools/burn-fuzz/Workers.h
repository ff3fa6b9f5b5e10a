// Work in processes of its own, which a crash or a hang does not take down.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <functional>
#include <string>

namespace burn::fuzz {

/// What `body` returns in a child process; where the child ends otherwise, "crash: " and how. A child that takes longer
/// than `seconds` is ended.
std::string inChild(llvm::function_ref<std::string()> body, unsigned seconds);

/// Numbers [first, first + count), spread over processes that live for some numbers each.
struct WorkOptions {
  uint64_t first = 0, count = 0;
  unsigned jobs = 1;
  /// Numbers that one process takes before another one takes its place: what a compiler keeps is given back.
  uint64_t chunk = 64;
  /// A number that takes longer is a crash.
  unsigned secondsEach = 120;
  /// No number begins later than this after the start; 0: no bound.
  double seconds = 0;
  /// Asked after each result: whether the rest is not wanted any more.
  std::function<bool()> enough;
};

/// In a child process: makes whatever a chunk needs, and returns what handles a number of it. A number's result is one
/// line of JSON.
using MakeHandler = std::function<std::function<llvm::json::Value(uint64_t)>()>;

/// Runs all numbers. In this process, `done` takes each result, and `crashed` each number that ended its process.
/// Returns how many numbers were run.
uint64_t runInWorkers(const WorkOptions &options, const MakeHandler &makeHandler,
                      llvm::function_ref<void(uint64_t, const llvm::json::Value &)> done,
                      llvm::function_ref<void(uint64_t, const std::string &)> crashed);

} // namespace burn::fuzz
