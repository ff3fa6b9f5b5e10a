#include "runtime/Cache/CacheEntry.h"

#include <bit>
#include <cstdio>
#include <cstring>

#include <xxhash.h>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

constexpr char kMagic[8] = {'B', 'U', 'R', 'N', 'P', 'L', 'A', 'N'};

struct Footer {
  uint64_t elfBytes, planBytes, keyBytes, toolchainBytes;
  uint32_t schema;
  uint32_t footerBytes;
  uint64_t checksumHigh, checksumLow;
  char magic[8];
};
static_assert(sizeof(Footer) == 64);
static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr size_t kChecked = offsetof(Footer, checksumHigh);

void append(std::vector<std::byte> &to, const void *data, size_t size) {
  const auto *bytes = static_cast<const std::byte *>(data);
  to.insert(to.end(), bytes, bytes + size);
}

XXH128_hash_t checksum(const XXH3_state_t &before, const Footer &footer) {
  XXH3_state_t state;
  XXH3_copyState(&state, &before);
  XXH3_128bits_update(&state, &footer, kChecked);
  // The magic stands after the checksum, at the end of the file, and is compared by itself.
  return XXH3_128bits_digest(&state);
}

/// Reads numbers and strings; false once the bytes are used up.
class Reader {
public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}

  template <typename Number> bool number(Number &value) {
    if (bytes_.size() < sizeof value)
      return false;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return true;
  }
  bool string(std::string &text) {
    uint32_t size = 0;
    if (!number(size) || bytes_.size() < size)
      return false;
    text.assign(reinterpret_cast<const char *>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return true;
  }
  bool atEnd() const { return bytes_.empty(); }

private:
  Bytes bytes_;
};

Status damaged(std::string text) { return Status::error(ErrorCode::DataLoss, std::move(text)); }

} // namespace

std::string KeyHash::hex() const {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text;
}

KeyHash hashKey(Bytes key) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  return {hash.high64, hash.low64};
}

std::vector<std::byte> makeTrailer(const CacheEntry &entry) {
  std::vector<std::byte> trailer;
  append(trailer, entry.plan.data(), entry.plan.size());
  append(trailer, entry.key.data(), entry.key.size());
  const size_t toolchainBegin = trailer.size();
  for (const ToolchainFile &file : entry.toolchain) {
    const auto size = static_cast<uint32_t>(file.path.size());
    append(trailer, &size, sizeof size);
    append(trailer, file.path.data(), size);
    append(trailer, &file.bytes, sizeof file.bytes);
    append(trailer, &file.modifiedNs, sizeof file.modifiedNs);
  }

  Footer footer{};
  footer.elfBytes = entry.elf.size();
  footer.planBytes = entry.plan.size();
  footer.keyBytes = entry.key.size();
  footer.toolchainBytes = trailer.size() - toolchainBegin;
  footer.schema = kCacheSchema;
  footer.footerBytes = sizeof footer;
  std::memcpy(footer.magic, kMagic, sizeof kMagic);
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, entry.elf.data(), entry.elf.size());
  XXH3_128bits_update(&state, trailer.data(), trailer.size());
  const XXH128_hash_t sum = checksum(state, footer);
  footer.checksumHigh = sum.high64;
  footer.checksumLow = sum.low64;
  append(trailer, &footer, sizeof footer);
  return trailer;
}

Expected<CacheEntry> parseEntry(Bytes file) {
  if (file.size() < sizeof(Footer))
    return damaged("truncated");
  const Bytes body = file.first(file.size() - sizeof(Footer));
  Footer footer;
  std::memcpy(&footer, file.data() + body.size(), sizeof footer);
  if (std::memcmp(footer.magic, kMagic, sizeof kMagic) != 0)
    return damaged("no entry: wrong magic number");
  if (footer.schema != kCacheSchema || footer.footerBytes != sizeof footer)
    return damaged("schema " + std::to_string(footer.schema) + ", this version reads " + std::to_string(kCacheSchema));
  // One by one, so that no sum of damaged sizes wraps around.
  size_t rest = body.size();
  for (const uint64_t size : {footer.elfBytes, footer.planBytes, footer.keyBytes, footer.toolchainBytes}) {
    if (size > rest)
      return damaged("sizes do not add up");
    rest -= size;
  }
  if (rest != 0)
    return damaged("sizes do not add up");

  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, body.data(), body.size());
  const XXH128_hash_t sum = checksum(state, footer);
  if (sum.high64 != footer.checksumHigh || sum.low64 != footer.checksumLow)
    return damaged("checksum mismatch");

  CacheEntry entry;
  entry.elf = body.first(footer.elfBytes);
  entry.plan = body.subspan(footer.elfBytes, footer.planBytes);
  entry.key = body.subspan(footer.elfBytes + footer.planBytes, footer.keyBytes);
  Reader reader(body.last(footer.toolchainBytes));
  while (!reader.atEnd()) {
    ToolchainFile tool;
    if (!reader.string(tool.path) || !reader.number(tool.bytes) || !reader.number(tool.modifiedNs))
      return damaged("malformed list of toolchain files");
    entry.toolchain.push_back(std::move(tool));
  }
  return entry;
}

} // namespace burn::runtime
