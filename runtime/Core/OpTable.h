// Facts about burn ops, generated from the dialect's ODS files: codes, names, arities, attributes.
#pragma once

#include "runtime/Core/Status.h"

#include <burn/dtype.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace burn::core {

/// Appends an array to attribute words: its length, then its entries.
template <typename Words> void encodeArray(Words &words, std::span<const int64_t> entries) {
  words.push_back(static_cast<int64_t>(entries.size()));
  for (int64_t entry : entries)
    words.push_back(entry);
}

/// Appends numbers to attribute words: how many, then their bit patterns.
template <typename Words> void encodeArray(Words &words, std::span<const double> entries) {
  words.push_back(static_cast<int64_t>(entries.size()));
  for (double entry : entries)
    words.push_back(std::bit_cast<int64_t>(entry));
}

/// Appends text to attribute words: its length, then its bytes, eight a word, padded with zeros.
template <typename Words> void encodeArray(Words &words, std::string_view text) {
  words.push_back(static_cast<int64_t>(text.size()));
  for (size_t i = 0; i < text.size(); i += sizeof(int64_t)) {
    int64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min(sizeof word, text.size() - i));
    words.push_back(word);
  }
}

#include "runtime/Core/OpTable.h.inc"

/// How an attribute stands in attribute words: one word each, but arrays (`I64Array`, `F64Array`, `Segments`) and
/// `String` have a length word in front. `Segments` holds MLIR's operandSegmentSizes.
enum class AttrKind : uint8_t { I64, Bool, Unit, Enum, F64, Type, I64Array, F64Array, String, Segments };

struct AttrInfo {
  std::string_view name;
  AttrKind kind;
};

struct OpInfo {
  OpCode code;
  std::string_view name; // without "burn."
  int leastOperands;
  int mostOperands; // -1: any number
  int results;      // -1: any number
  int regions;
  bool resultsInferred; // else result types are given and checked
  bool inGraph;         // whether it may stand in a serialized graph
  std::span<const AttrInfo> attributes;
};

/// All ops, ascending by code.
std::span<const OpInfo> allOps();

/// The op of that code or name (without "burn."), or null.
const OpInfo *findOp(OpCode code);
const OpInfo *findOp(std::string_view name);

} // namespace burn::core
