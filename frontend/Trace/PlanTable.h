// Programs by what was recorded: the plan cache in front of all others, without serialization.
#pragma once

#include "frontend/Trace/GraphBuilder.h"
#include "frontend/Trace/Program.h"
#include "frontend/Trace/Trace.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace burn::trace {

/// A program and how to bind it to a trace that is equal to the one it was made from.
struct TraceProgram {
  std::shared_ptr<const Program> program;
  std::vector<uint32_t> bufferLeaves, scalarSlots;
  std::vector<OpSource> opNodes;

  // What it was made from, compared in full.
  Trace::Key key;
  uint8_t device = 0;
  std::vector<Node> nodes;
  std::vector<uint32_t> operandList, results;
  std::vector<LeafType> leafTypes;
  std::vector<DType> slotTypes;
  std::vector<uint8_t> donated;
  std::vector<uint32_t> places;

  bool matches(const Trace &trace, std::span<const uint32_t> results, std::span<const uint8_t> donated) const;
};

/// The programs of a process, up to 256: the least recently used goes. Thread-safe.
class PlanTable {
public:
  static constexpr size_t kCapacity = 256;

  /// Budget of a hit: 1 ns a node; no allocation.
  std::shared_ptr<const TraceProgram> find(const Trace &trace, std::span<const uint32_t> results,
                                           std::span<const uint8_t> donated);
  void insert(std::shared_ptr<TraceProgram> program);
  void clear();

  /// Why a trace fits none of the programs: how it differs from the one that is most like it. Empty where there is no
  /// program that begins at the same place.
  std::string explainMiss(const Trace &trace, std::span<const uint32_t> results, std::span<const uint8_t> donated);

private:
  struct Entry {
    std::shared_ptr<TraceProgram> program;
    uint64_t lastUse;
  };
  std::mutex mutex_;
  std::unordered_multimap<uint64_t, Entry> entries_;
  uint64_t clock_ = 0;
};

PlanTable &planTable();

} // namespace burn::trace
