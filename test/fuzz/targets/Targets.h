// What the fuzz targets do with an input. Unit tests run the corpora through the same functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace burn::fuzz {

/// Each reads bytes that may be anything and returns what is wrong with the reader, empty where nothing is. That bytes
/// are refused is right; that what was read contradicts itself is wrong, and so is a crash.
using Target = std::string(std::span<const std::byte> bytes);

/// Reads a serialized graph and checks its ops by their rules.
Target readGraph;

/// Reads a cache entry and what is in it: plan, key, and the plan of a GPU.
Target readCacheEntry;

/// Reads a program as text of MLIR or as a serialized graph, verifies it and runs the passes on it, down to the
/// planning of memory.
Target readIr;

} // namespace burn::fuzz
