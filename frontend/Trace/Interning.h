// Shapes, attributes and places of calls as small numbers. Equal contents have equal ids in the whole process, so that
// recorded nodes compare by memcmp. Entries live as long as the process.
#pragma once

#include <burn/shape.h>

#include <cstdint>
#include <source_location>
#include <span>

namespace burn::trace {

struct ShapeEntry {
  uint32_t id;
  int64_t numel;
  Shape shape;
};

/// Budget of a known shape: 5 ns.
const ShapeEntry *internShape(const Shape &shape);
const ShapeEntry &shapeOf(uint32_t id);

struct AttrEntry {
  uint32_t id;
  uint32_t size;
  const int64_t *words;
  std::span<const int64_t> span() const { return {words, size}; }
};

/// Attribute words of an op. Id 0 is the empty list.
const AttrEntry *internAttrs(std::span<const int64_t> words);
const AttrEntry &attrsOf(uint32_t id);

/// A place in the user's program: a call, made within the call `parent` (0: in the program itself).
struct PlaceEntry {
  uint32_t id;
  uint32_t parent;
  std::source_location where;
};

/// Id 0 means no place.
uint32_t internPlace(uint32_t parent, const std::source_location &where);
const PlaceEntry &placeOf(uint32_t id);

/// Brings the tables of the calling thread into its caches.
void prefetchInterned();

} // namespace burn::trace
