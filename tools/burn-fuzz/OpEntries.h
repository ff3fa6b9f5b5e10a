// Shared by the files of the entries; not for others.
#pragma once

#include "tools/burn-fuzz/Generator.h"

#include <numeric>
#include <vector>

namespace burn::fuzz {

// One function a family of ODS files.
void addElementwiseEntries(std::vector<OpEntry> &entries);
void addShapeEntries(std::vector<OpEntry> &entries);
void addReductionEntries(std::vector<OpEntry> &entries);
void addContractionEntries(std::vector<OpEntry> &entries);
void addIndexingEntries(std::vector<OpEntry> &entries);
void addNeuralEntries(std::vector<OpEntry> &entries);
void addGeneratedEntries(std::vector<OpEntry> &entries);
void addControlEntries(std::vector<OpEntry> &entries);

/// Most multiplications of a contraction, so that the interpreter is done in time.
inline constexpr int64_t kMostProducts = 1000000;

/// f32 or f64, which every op on floats takes.
inline bool isWide(const core::TypeDesc &type) { return type.dtype == DType::F32 || type.dtype == DType::F64; }
inline bool isNumber(const core::TypeDesc &type) { return type.dtype != DType::Bool; }

inline Dims allDims(unsigned rank) {
  Dims dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

} // namespace burn::fuzz
