#include "frontend/Trace/Debug.h"

#include <burn/error.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace burn::trace {

using core::Status;

core::Expected<DebugOptions> parseDebugOptions(const char *words, const char *dumpDirectory) {
  DebugOptions options;
  options.dumpDirectory = dumpDirectory && *dumpDirectory ? dumpDirectory : "burn-dump";
  struct {
    std::string_view word;
    bool *flag;
  } const known[] = {{"ir", &options.ir},   {"asm", &options.assembly},        {"eager", &options.eager},
                     {"nan", &options.nan}, {"interpret", &options.interpret}, {"recompile", &options.recompile}};
  std::string_view rest = words ? words : "";
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (word.empty())
      continue;
    bool found = false;
    for (const auto &entry : known)
      if (entry.word == word)
        found = *entry.flag = true;
    if (!found)
      return Status::invalid("BURN_DEBUG: unknown word '" + std::string(word) +
                             "'; expected some of ir, asm, eager, interpret, nan, recompile");
  }
  return options;
}

const DebugOptions &debugOptions() {
  static const DebugOptions options = [] {
    auto parsed = parseDebugOptions(secure_getenv("BURN_DEBUG"), secure_getenv("BURN_DUMP_DIR"));
    if (!parsed)
      throw Error(parsed.status().code(), parsed.status().message());
    return *parsed;
  }();
  return options;
}

namespace {

template <typename T> double asDouble(T value) {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
    return static_cast<float>(value);
  else
    return static_cast<double>(value);
}

// The first element that is not finite, and its value; -1 where there is none.
std::pair<int64_t, double> firstNonFinite(const TensorImpl &tensor, const void *contents) {
  return visitDType(tensor.dtype, [&](auto element) -> std::pair<int64_t, double> {
    const auto *values = static_cast<const decltype(element) *>(contents);
    for (int64_t i = 0; i < tensor.shape->numel; ++i)
      if (const double value = asDouble(values[i]); !std::isfinite(value))
        return {i, value};
    return {-1, 0};
  });
}

} // namespace

Status checkFinite(const Trace &trace, std::span<const uint32_t> results, uint32_t &place) {
  for (uint32_t result : results) {
    const TensorImpl &tensor = *trace.outputs[result];
    if (!isFloat(tensor.dtype))
      continue;
    const core::Expected<const void *> contents = tensor.buffer->read();
    if (!contents) {
      const auto &places = contents.status().locations();
      place = places.empty() ? trace.places[result] : places[0];
      return contents.status();
    }
    const auto [element, value] = firstNonFinite(tensor, *contents);
    if (element < 0)
      continue;
    uint32_t node = result;
    while (trace.nodes[node].op == kExtraResult)
      --node;
    const core::OpInfo *info = core::findOp(static_cast<core::OpCode>(trace.nodes[node].op));
    place = trace.places[node];
    return Status::error(core::ErrorCode::InvalidArgument, "the result of " + std::string(info->name) + ", " +
                                                               tensor.type().str() + ", is " + std::to_string(value) +
                                                               " at element " + std::to_string(element));
  }
  return Status::ok();
}

void reportRecompile(const Trace &trace, const std::string &reason) {
  if (reason.empty())
    return; // the first program that begins here
  const PlaceEntry *entry = &placeOf(trace.places[0]);
  while (entry->parent)
    entry = &placeOf(entry->parent);
  std::fprintf(stderr, "burn: compiling the program that begins at %s:%u again: %s\n", entry->where.file_name(),
               entry->where.line(), reason.c_str());
}

} // namespace burn::trace
