#include "frontend/Trace/PlanTable.h"

#include <algorithm>
#include <cstring>

namespace burn::trace {
namespace {

template <typename T> bool sameBytes(const std::vector<T> &a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <typename Key>
uint64_t hashOf(const Key &key, uint8_t device, std::span<const uint32_t> results, std::span<const uint8_t> donated) {
  uint64_t hash = mix(key.low + device, key.high);
  for (uint32_t result : results)
    hash = mix(hash, result);
  for (size_t i = 0; i < donated.size(); ++i)
    if (donated[i])
      hash = mix(hash, ~i);
  return hash;
}

std::string lineOf(uint32_t place) {
  if (!place)
    return "an unknown line";
  const PlaceEntry *entry = &placeOf(place);
  while (entry->parent)
    entry = &placeOf(entry->parent);
  return std::string(entry->where.file_name()) + ":" + std::to_string(entry->where.line());
}

std::string describe(const Node &node) {
  const core::OpInfo *info = core::findOp(static_cast<core::OpCode>(node.op));
  return (info ? std::string(info->name) : std::string("a further result")) + " " +
         core::TypeDesc{node.dtype, shapeOf(node.shape).shape}.str();
}

} // namespace

bool TraceProgram::matches(const Trace &trace, std::span<const uint32_t> liveResults,
                           std::span<const uint8_t> donatedLeaves) const {
  return key == trace.key && device == trace.device && sameBytes<Node>(nodes, trace.nodes) &&
         sameBytes<uint32_t>(results, liveResults) && sameBytes<uint32_t>(operandList, trace.operandList) &&
         sameBytes<LeafType>(leafTypes, trace.leafTypes) && sameBytes<DType>(slotTypes, trace.slotTypes) &&
         sameBytes<uint8_t>(donated, donatedLeaves);
}

std::shared_ptr<const TraceProgram> PlanTable::find(const Trace &trace, std::span<const uint32_t> results,
                                                    std::span<const uint8_t> donated) {
  std::lock_guard lock(mutex_);
  auto [entry, last] = entries_.equal_range(hashOf(trace.key, trace.device, results, donated));
  for (; entry != last; ++entry)
    if (entry->second.program->matches(trace, results, donated)) {
      entry->second.lastUse = ++clock_;
      return entry->second.program;
    }
  return nullptr;
}

void PlanTable::insert(std::shared_ptr<TraceProgram> program) {
  const uint64_t hash = hashOf(program->key, program->device, program->results, program->donated);
  std::shared_ptr<TraceProgram> dropped; // outlives the lock: unloading code takes time
  std::lock_guard lock(mutex_);
  if (entries_.size() >= kCapacity) {
    const auto oldest = std::ranges::min_element(
        entries_, [](const auto &a, const auto &b) { return a.second.lastUse < b.second.lastUse; });
    dropped = std::move(oldest->second.program);
    entries_.erase(oldest);
  }
  entries_.emplace(hash, Entry{std::move(program), ++clock_});
}

void PlanTable::clear() {
  std::lock_guard lock(mutex_);
  entries_.clear();
}

std::string PlanTable::explainMiss(const Trace &trace, std::span<const uint32_t> results,
                                   std::span<const uint8_t> donated) {
  std::lock_guard lock(mutex_);
  const TraceProgram *nearest = nullptr;
  size_t longest = 0;
  for (const auto &[hash, entry] : entries_) {
    const TraceProgram &program = *entry.program;
    if (program.places.empty() || trace.places.empty() || program.places[0] != trace.places[0])
      continue;
    size_t same = 0;
    while (same < std::min(program.nodes.size(), trace.nodes.size()) &&
           std::memcmp(&program.nodes[same], &trace.nodes[same], sizeof(Node)) == 0)
      ++same;
    if (!nearest || same > longest) {
      nearest = &program;
      longest = same;
    }
  }
  if (!nearest)
    return {};
  const TraceProgram &other = *nearest;
  const size_t count = trace.nodes.size();
  if (longest < count && longest < other.nodes.size() &&
      describe(trace.nodes[longest]) == describe(other.nodes[longest])) {
    const bool attributes = trace.nodes[longest].attrs != other.nodes[longest].attrs;
    return "op " + std::to_string(longest) + ", " + describe(trace.nodes[longest]) + " of " +
           lineOf(trace.places[longest]) + (attributes ? ", has other attributes" : ", takes other operands");
  }
  if (longest < count && longest < other.nodes.size())
    return "op " + std::to_string(longest) + " of " + lineOf(trace.places[longest]) + " is " +
           describe(trace.nodes[longest]) + ", it was " + describe(other.nodes[longest]) + " of " +
           lineOf(other.places[longest]);
  if (count != other.nodes.size())
    return "there are " + std::to_string(count) + " ops, there were " + std::to_string(other.nodes.size());
  if (!sameBytes<LeafType>(other.leafTypes, trace.leafTypes))
    for (size_t i = 0; i < std::min(trace.leafTypes.size(), other.leafTypes.size()); ++i)
      if (std::memcmp(&trace.leafTypes[i], &other.leafTypes[i], sizeof(LeafType)) != 0)
        return "input " + std::to_string(i) + " is " +
               core::TypeDesc{trace.leafTypes[i].dtype, shapeOf(trace.leafTypes[i].shape).shape}.str() + ", it was " +
               core::TypeDesc{other.leafTypes[i].dtype, shapeOf(other.leafTypes[i].shape).shape}.str();
  if (!sameBytes<uint32_t>(other.results, results)) {
    for (uint32_t result : results)
      if (!std::ranges::binary_search(other.results, result))
        return "the result of " + lineOf(trace.places[result]) + " is still held, it was not";
    for (uint32_t result : other.results)
      if (!std::ranges::binary_search(results, result))
        return "the result of " + lineOf(trace.places[result]) + " is no longer held";
  }
  for (size_t i = 0; i < std::min(donated.size(), other.donated.size()); ++i)
    if (donated[i] != other.donated[i])
      return "input " + std::to_string(i) + (donated[i] ? " is no longer held outside" : " is also held outside") +
             " of the program";
  return "inputs or numbers are of other types";
}

PlanTable &planTable() {
  static auto *made = new PlanTable;
  return *made;
}

} // namespace burn::trace
