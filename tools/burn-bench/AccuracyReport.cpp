// docs/accuracy.md from the lines of measurements.
#include "tools/burn-bench/Accuracy.h"

#include "tools/burn-bench/Bench.h"

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

namespace burn::bench {

namespace {

constexpr const char *kIntroduction =
    R"(# Accuracy of the float ops

Errors of compiled ops in units of the last place (ulp), largest and mean. Written by `burn-bench --accuracy`; do not edit.

* An ulp is the distance of neighbouring numbers at the exact result; among subnormal results it is the least subnormal
  number. Infinity counts as the next power of two. A wrong sign of a zero, a NaN too many or too few, or infinity in
  place of a number far from overflow counts as an infinite error.
* Unary ops on f32, f16 and bf16 take all values where the column says so ("all"), otherwise a stride over them; the
  reference is f64, itself compared with MPFR (300 bits), and a sample is compared with MPFR directly. Other ops are
  compared with MPFR, on values over the whole range and around the points where functions change their behaviour.
* f16 and bf16 are the f32 result rounded once.
* The code of an op is the same sequence of IEEE operations on every processor, so the columns agree; "same bits" says
  that the results did, too, bit by bit. Subnormal numbers are not flushed.
* lgamma, digamma and polygamma have zeros at negative numbers that no formula here resolves: for negative arguments
  whose result is below 1 an ulp is that of 1.
* Columns of GPUs are from samples (`--device`), within the same bounds; arguments and bits are those of the CPU columns.
  lavapipe is Mesa's software driver of Vulkan.
* Bounds of JAX are those that its documentation publishes for CPUs.

)";

bool isOfCpu(const Json &line) { return !line.contains("device"); }

std::string number(double value) { return std::isinf(value) ? "inf" : fmt::format("{:.3f}", value); }

} // namespace

void writeAccuracyReport(const std::string &lines, const std::string &report) {
  // By type, then op in the order of measurement, then processor.
  std::vector<std::string> processors;
  std::set<std::string> devices; // those of them that are no CPUs
  std::map<std::string, std::vector<std::string>> order;
  std::map<std::string, std::map<std::string, std::map<std::string, Json>>> table;
  for (std::ifstream file(lines); file;) {
    std::string text;
    if (std::getline(file, text); text.empty())
      continue;
    const Json line = Json::parse(text);
    const std::string type = line["type"], op = line["op"], cpu = line["cpu"];
    if (!isOfCpu(line))
      devices.insert(cpu);
    if (std::find(processors.begin(), processors.end(), cpu) == processors.end())
      processors.push_back(cpu);
    if (!table[type].count(op))
      order[type].push_back(op);
    // A full run beats a sampled one.
    Json &entry = table[type][op][cpu];
    if (entry.is_null() || entry["mode"] != "full" || line["mode"] == "full")
      entry = line;
  }
  std::string text = kIntroduction;
  for (const char *type : {"f32", "f64", "f16", "bf16"}) {
    if (!table.count(type))
      continue;
    text += fmt::format("## {}\n\n| op | bound |", type);
    std::string rule = "| --- | ---: |";
    for (const std::string &cpu : processors) {
      text += fmt::format(" {}{}: max | mean |", devices.count(cpu) ? "" : "CPU ", cpu);
      rule += " ---: | ---: |";
    }
    text += " same bits | arguments | JAX |\n" + rule + " --- | ---: | ---: |\n";
    for (const std::string &op : order[type]) {
      const std::map<std::string, Json> &entries = table[type][op];
      const auto onCpu =
          std::find_if(entries.begin(), entries.end(), [](const auto &entry) { return isOfCpu(entry.second); });
      const Json &first = onCpu == entries.end() ? entries.begin()->second : onCpu->second;
      text += fmt::format("| {} | {:.4g} |", op, first["bound"].get<double>());
      // Runs that a time limit ended saw different arguments.
      bool same = true, comparable = std::count_if(entries.begin(), entries.end(),
                                                   [](const auto &entry) { return isOfCpu(entry.second); }) > 1;
      for (const std::string &cpu : processors) {
        const auto found = entries.find(cpu);
        if (found == entries.end()) {
          text += " | |";
          continue;
        }
        text += fmt::format(" {} | {} |", number(found->second["max"]), number(found->second["mean"]));
        if (!isOfCpu(found->second))
          continue;
        same = same && found->second["hash"] == first["hash"];
        comparable = comparable && found->second["count"] == first["count"];
      }
      const uint64_t count = first["count"], values = uint64_t(1) << (type[0] == 'f' && type[1] == '3' ? 32 : 16);
      const bool all = first["swept"] && count >= values;
      const double jax = first["jax"];
      text += fmt::format(" {} | {}{} | {} |\n",
                          !comparable ? ""
                          : same      ? "yes"
                                      : "no",
                          all ? "all, " : "", count, jax > 0 ? fmt::format("{:.4g}", jax) : "");
    }
    text += "\n";
  }
  std::ofstream file(report);
  file << text;
  if (!file.flush())
    throw std::runtime_error("cannot write " + report);
}

} // namespace burn::bench
