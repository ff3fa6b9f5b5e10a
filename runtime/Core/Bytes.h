// Little-endian byte streams of the serialized formats.
#pragma once

#include "runtime/Core/Types.h"

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace burn::core {

static_assert(std::endian::native == std::endian::little, "serialized formats are little-endian");

/// Appends plain values to a byte vector.
class ByteWriter {
public:
  explicit ByteWriter(std::vector<std::byte> &bytes) : bytes_(bytes) {}

  template <typename T> void put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto *first = reinterpret_cast<const std::byte *>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(T));
  }
  void put(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    const auto *first = reinterpret_cast<const std::byte *>(text.data());
    bytes_.insert(bytes_.end(), first, first + text.size());
  }
  void put(const TypeDesc &type) {
    put(static_cast<uint8_t>(type.dtype));
    put(static_cast<uint8_t>(type.shape.rank()));
    for (int64_t dim : type.shape)
      put(dim);
  }

private:
  std::vector<std::byte> &bytes_;
};

/// Reads them back. Past the end everything reads as zero and `ok()` turns false, so that callers
/// check once; a count must be checked with `count()` before anything is reserved by it.
class ByteReader {
public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T> T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (!ok_ || bytes_.size() < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }

  /// The next `size` bytes.
  void copy(void *to, size_t size) {
    if (!ok_ || bytes_.size() < size) {
      ok_ = false;
      return;
    }
    if (size > 0)
      std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }

  /// A 32-bit count of items of at least `itemSize` bytes each; 0 and a fault where the rest of the
  /// stream cannot hold so many.
  uint32_t count(size_t itemSize) {
    const uint32_t value = get<uint32_t>();
    if (itemSize && value > bytes_.size() / itemSize) {
      ok_ = false;
      return 0;
    }
    return value;
  }

  std::string text() {
    const uint32_t size = count(1);
    std::string result(reinterpret_cast<const char *>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return result;
  }

  TypeDesc type() {
    TypeDesc result;
    const uint8_t code = get<uint8_t>();
    const uint8_t rank = get<uint8_t>();
    if (!isValidDType(code) || rank > Shape::maxRank) {
      ok_ = false;
      return result;
    }
    result.dtype = static_cast<DType>(code);
    for (unsigned i = 0; i < rank; ++i)
      result.shape.push(get<int64_t>());
    ok_ &= result.shape.fits();
    return result;
  }

  void fail() { ok_ = false; }
  bool ok() const { return ok_; }
  bool atEnd() const { return bytes_.empty(); }
  size_t remaining() const { return bytes_.size(); }

private:
  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

} // namespace burn::core
