#include "frontend/Trace/Interning.h"

#include "frontend/Trace/Hash.h"

#include <burn/error.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace burn::trace {
namespace {

constexpr size_t kCacheSize = 512;
template <typename Entry> using EntryCache = const Entry *[kCacheSize];

// Content to entry and id to entry. In front of the table of the process, which is behind a lock, stands a small cache
// of the calling thread. Reading by id needs no lock, since entries never move.
template <typename Entry> class Interner {
public:
  template <typename Equal, typename Fill>
  const Entry *intern(uint64_t hash, EntryCache<Entry> &cache, const Equal &equal, const Fill &fill) {
    const Entry *&cached = cache[hash % kCacheSize];
    if (cached && equal(*cached))
      return cached;
    std::lock_guard lock(mutex_);
    auto [entry, last] = index_.equal_range(hash);
    for (; entry != last; ++entry)
      if (equal(*entry->second))
        return cached = entry->second;
    Entry &made = append();
    fill(made);
    index_.emplace(hash, &made);
    return cached = &made;
  }

  const Entry &operator[](uint32_t id) const {
    return chunks_[id / kChunk].load(std::memory_order_acquire)[id % kChunk];
  }

private:
  static constexpr uint32_t kChunk = 1024, kChunks = 4096;

  Entry &append() {
    if (size_ == kChunk * kChunks)
      throw Error(ErrorCode::Unsupported, "the program has too many distinct shapes, attributes or places");
    std::atomic<Entry *> &chunk = chunks_[size_ / kChunk];
    if (!chunk.load(std::memory_order_relaxed))
      chunk.store(new Entry[kChunk](), std::memory_order_release);
    Entry &entry = chunk.load(std::memory_order_relaxed)[size_ % kChunk];
    entry.id = size_++;
    return entry;
  }

  std::mutex mutex_;
  std::unordered_multimap<uint64_t, const Entry *> index_;
  std::atomic<Entry *> chunks_[kChunks] = {};
  uint32_t size_ = 0;
};

// Never destroyed: threads may record while the process ends.
struct Interners {
  Interner<ShapeEntry> shapes;
  Interner<AttrEntry> attrs;
  Interner<PlaceEntry> places;
  Interners() {
    // Ids 0: no attributes, no place.
    EntryCache<AttrEntry> attrCache = {};
    attrs.intern(hashWords({}), attrCache, [](const AttrEntry &) { return false; }, [](AttrEntry &) {});
    EntryCache<PlaceEntry> placeCache = {};
    places.intern(0, placeCache, [](const PlaceEntry &) { return false; }, [](PlaceEntry &) {});
  }
};

Interners &interners() {
  static auto *made = new Interners;
  return *made;
}

// Holds its key itself: places are looked up most, and each would cost a second cache line.
struct CachedPlace {
  const char *file = nullptr;
  uint32_t line = 0, column = 0, parent = 0, id = 0;
};

struct Caches {
  EntryCache<ShapeEntry> shapes = {};
  EntryCache<AttrEntry> attrs = {};
  EntryCache<PlaceEntry> places = {};
  CachedPlace knownPlaces[kCacheSize];
};

Caches &caches() {
  [[gnu::tls_model("initial-exec")]] static thread_local Caches *fast = nullptr;
  if (!fast) {
    thread_local auto owned = std::make_unique<Caches>();
    fast = owned.get();
  }
  return *fast;
}

} // namespace

const ShapeEntry *internShape(const Shape &shape) {
  return interners().shapes.intern(
      hashWords(shape.dims()), caches().shapes, [&](const ShapeEntry &entry) { return entry.shape == shape; },
      [&](ShapeEntry &entry) {
        entry.shape = shape;
        entry.numel = shape.numel();
      });
}

const ShapeEntry &shapeOf(uint32_t id) { return interners().shapes[id]; }

const AttrEntry *internAttrs(std::span<const int64_t> words) {
  return interners().attrs.intern(
      hashWords(words), caches().attrs, [&](const AttrEntry &entry) { return std::ranges::equal(entry.span(), words); },
      [&](AttrEntry &entry) {
        auto *copy = new int64_t[words.size()];
        std::ranges::copy(words, copy);
        entry.words = copy;
        entry.size = static_cast<uint32_t>(words.size());
      });
}

const AttrEntry &attrsOf(uint32_t id) { return interners().attrs[id]; }

uint32_t internPlace(uint32_t parent, const std::source_location &where) {
  // File names are compared by address: a file that is seen under two addresses only gets two ids.
  const uint64_t position = uint64_t(where.line()) << 32 | where.column();
  const uint64_t hash = mix(reinterpret_cast<uintptr_t>(where.file_name()) + parent, position);
  CachedPlace &known = caches().knownPlaces[hash % kCacheSize];
  if (known.file == where.file_name() && known.line == where.line() && known.column == where.column() &&
      known.parent == parent && known.id)
    return known.id;
  known = {where.file_name(), where.line(), where.column(), parent, 0};
  return known.id = interners()
                        .places
                        .intern(
                            hash, caches().places,
                            [&](const PlaceEntry &entry) {
                              return entry.where.file_name() == where.file_name() &&
                                     entry.where.line() == where.line() && entry.where.column() == where.column() &&
                                     entry.parent == parent;
                            },
                            [&](PlaceEntry &entry) {
                              entry.parent = parent;
                              entry.where = where;
                            })
                        ->id;
}

void prefetchInterned() {
  const Caches &own = caches();
  prefetchRange(own.knownPlaces, sizeof(own.knownPlaces));
  prefetchRange(own.shapes, sizeof(own.shapes));
  prefetchRange(own.attrs, sizeof(own.attrs));
}

const PlaceEntry &placeOf(uint32_t id) { return interners().places[id]; }

} // namespace burn::trace
