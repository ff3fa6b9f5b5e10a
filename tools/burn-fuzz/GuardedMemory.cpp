#include "tools/burn-fuzz/GuardedMemory.h"

#include <algorithm>
#include <sys/mman.h>
#include <utility>

using namespace burn::fuzz;

namespace {
constexpr size_t kPage = 4096;
}

GuardedMemory::GuardedMemory(size_t bytes, std::byte fill, size_t alignment) : size_(bytes) {
  const size_t used = (bytes + alignment + kPage - 1) / kPage * kPage;
  mapped_ = used + kPage;
  void *mapping = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return;
  if (mprotect(static_cast<std::byte *>(mapping) + used, kPage, PROT_NONE) != 0) {
    munmap(mapping, mapped_);
    return;
  }
  mapping_ = static_cast<std::byte *>(mapping);
  std::memset(mapping, static_cast<int>(kAround), used);
  data_ = mapping_ + (used - bytes) / alignment * alignment;
  std::memset(data_, static_cast<int>(fill), bytes);
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)), data_(other.data_), mapped_(other.mapped_), size_(other.size_) {
}

GuardedMemory::~GuardedMemory() {
  if (mapping_)
    munmap(mapping_, mapped_);
}

bool GuardedMemory::intact() const {
  const auto isUntouched = [](std::byte byte) { return byte == kAround; };
  return std::all_of(mapping_, data_, isUntouched) &&
         std::all_of(data_ + size_, mapping_ + mapped_ - kPage, isUntouched);
}
