#include "runtime/Memory/DerivedBuffers.h"

#include <algorithm>
#include <atomic>

#include <pthread.h>

namespace burn::runtime::derived {
namespace {

struct Entry {
  const void *owner;
  std::vector<Buffer *> sources;
  std::shared_ptr<const Buffers> buffers;
};

struct Table {
  std::mutex lock, preparation;
  std::vector<Entry> entries; // what was used last stands last
};

std::atomic<uint64_t> added{0};

Table &table() {
  static Table &made = []() -> Table & {
    static auto *kept = new Table; // never destroyed: buffers end later than any static object
    // Their handlers come first, so that a fork takes their locks after these, as a preparation does.
    (void)Buffer::allocate(0);
    pthread_atfork(
        [] {
          kept->preparation.lock();
          kept->lock.lock();
        },
        [] {
          kept->lock.unlock();
          kept->preparation.unlock();
        },
        [] {
          kept->lock.unlock();
          kept->preparation.unlock();
        });
    return *kept;
  }();
  return made;
}

template <typename Predicate> void forget(const Predicate &ends) {
  std::vector<Entry> ended; // their buffers end outside of the lock
  std::lock_guard guard(table().lock);
  std::erase_if(table().entries, [&](Entry &entry) {
    if (!ends(entry))
      return false;
    ended.push_back(std::move(entry));
    return true;
  });
}

} // namespace

void prepareForFork() { (void)table(); }

std::shared_ptr<const Buffers> find(const void *owner, std::span<Buffer *const> sources) {
  std::lock_guard guard(table().lock);
  std::vector<Entry> &entries = table().entries;
  for (size_t i = entries.size(); i-- > 0;)
    if (entries[i].owner == owner && std::ranges::equal(entries[i].sources, sources)) {
      std::rotate(entries.begin() + static_cast<ptrdiff_t>(i), entries.begin() + static_cast<ptrdiff_t>(i) + 1,
                  entries.end());
      return entries.back().buffers;
    }
  return nullptr;
}

void add(const void *owner, std::span<Buffer *const> sources, std::shared_ptr<const Buffers> buffers) {
  for (Buffer *source : sources)
    source->setHasDerived();
  added.fetch_add(1, std::memory_order_relaxed);
  size_t left = 1 << 20;
  for (Buffer *source : sources)
    left += 4 * source->bytes();
  std::vector<Entry> ended; // their buffers end outside of the lock
  std::lock_guard guard(table().lock);
  std::vector<Entry> &entries = table().entries;
  entries.push_back({owner, {sources.begin(), sources.end()}, std::move(buffers)});
  for (size_t i = entries.size(); i-- > 0;) {
    const auto isSource = [&](Buffer *of) { return std::ranges::find(sources, of) != sources.end(); };
    if (!std::ranges::all_of(entries[i].sources, isSource))
      continue;
    size_t bytes = 0;
    for (const BufferRef &buffer : *entries[i].buffers)
      bytes += buffer->bytes();
    if (bytes <= left || i + 1 == entries.size()) {
      left -= std::min(bytes, left);
      continue;
    }
    ended.push_back(std::move(entries[i]));
    entries.erase(entries.begin() + static_cast<ptrdiff_t>(i));
  }
}

std::unique_lock<std::mutex> lockPreparation() { return std::unique_lock(table().preparation); }

void forgetOwner(const void *owner) {
  forget([&](const Entry &entry) { return entry.owner == owner; });
}

void forgetSource(const Buffer *source) {
  forget([&](const Entry &entry) { return std::ranges::find(entry.sources, source) != entry.sources.end(); });
}

uint64_t count() { return added.load(std::memory_order_relaxed); }

} // namespace burn::runtime::derived
