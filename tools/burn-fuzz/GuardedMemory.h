// Memory that ends where the process may not read.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace burn::fuzz {

/// Bytes that end at a page which can be neither read nor written, so that an access beyond them ends the process. What
/// lies before them is filled, so that a write there is seen.
class GuardedMemory {
public:
  GuardedMemory(size_t bytes, std::byte fill, size_t alignment = 1);
  GuardedMemory(GuardedMemory &&other) noexcept;
  GuardedMemory &operator=(GuardedMemory &&) = delete;
  ~GuardedMemory();

  /// Whether the system gave the memory; nothing else may be called if not.
  bool isMapped() const { return mapping_; }
  std::byte *data() { return data_; }
  std::span<std::byte> bytes() { return {data_, size_}; }
  /// Whether what lies around the bytes is as it was.
  bool intact() const;

private:
  static constexpr std::byte kAround{0x5a};

  std::byte *mapping_ = nullptr, *data_ = nullptr;
  size_t mapped_ = 0, size_ = 0;
};

} // namespace burn::fuzz
