#include <burn/data.h>

#include "frontend/Io/FileIo.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include <zlib.h>

namespace burn {

namespace {

using detail::failFile;
using detail::failSystem;

/// A file read through zlib, which hands plain files through unchanged.
class GzipReader {
public:
  explicit GzipReader(const std::filesystem::path &path) : file_(path.string()) {
    errno = 0;
    in_ = gzopen(file_.c_str(), "rbe");
    if (!in_)
      failSystem(file_, "open", errno ? errno : ENOMEM);
  }
  GzipReader(const GzipReader &) = delete;
  GzipReader &operator=(const GzipReader &) = delete;
  ~GzipReader() { gzclose(in_); }

  /// Reads up to `count` bytes and returns how many there were.
  size_t read(void *into, size_t count) {
    size_t used = 0;
    while (used < count) {
      const unsigned wanted = static_cast<unsigned>(std::min<size_t>(count - used, 1u << 30));
      const int got = gzread(in_, static_cast<char *>(into) + used, wanted);
      if (got < 0)
        fail();
      if (got == 0)
        break;
      used += static_cast<size_t>(got);
    }
    // A compressed file that breaks off is told by the state alone, not by the count.
    int state;
    gzerror(in_, &state);
    if (used < count && state != Z_OK)
      fail();
    return used;
  }

private:
  [[noreturn]] void fail() {
    int state;
    const char *text = gzerror(in_, &state);
    if (state == Z_ERRNO)
      failSystem(file_, "read", errno);
    if (state == Z_BUF_ERROR)
      failFile(file_, "compressed data ends too early (truncated?)");
    failFile(file_, std::string("compressed data is damaged: ") + text);
  }

  std::string file_;
  gzFile in_;
};

std::optional<DType> elementType(unsigned char code) {
  switch (code) {
  case 0x08:
    return DType::U8;
  case 0x09:
    return DType::I8;
  case 0x0B:
    return DType::I16;
  case 0x0C:
    return DType::I32;
  case 0x0D:
    return DType::F32;
  case 0x0E:
    return DType::F64;
  default:
    return std::nullopt;
  }
}

void reverseElements(std::span<std::byte> bytes, unsigned width) {
  for (size_t i = 0; width > 1 && i < bytes.size(); i += width)
    std::reverse(bytes.data() + i, bytes.data() + i + width);
}

} // namespace

HostArray load_idx(const std::filesystem::path &path) {
  const std::string file = path.string();
  GzipReader in(path);
  unsigned char start[4];
  if (in.read(start, 4) != 4)
    failFile(file, "is no IDX file: shorter than 4 bytes");
  const std::optional<DType> dtype = elementType(start[2]);
  if (start[0] != 0 || start[1] != 0 || !dtype || start[3] > Shape::maxRank) {
    char text[16];
    std::snprintf(text, sizeof text, "%02x%02x%02x%02x", start[0], start[1], start[2], start[3]);
    failFile(file, std::string("is no IDX file: wrong magic number 0x") + text);
  }
  Shape shape;
  for (unsigned i = 0; i < start[3]; ++i) {
    unsigned char size[4];
    if (in.read(size, 4) != 4)
      failFile(file, "IDX file ends within its header");
    shape.push(int64_t{size[0]} << 24 | size[1] << 16 | size[2] << 8 | size[3]);
  }
  if (!shape.fits())
    failFile(file, "shape " + shape.str() + " is too large");

  // Grow with what is really there: a damaged header must not allocate what it pretends to hold.
  const size_t wanted = static_cast<size_t>(shape.numel()) * byteWidth(*dtype);
  std::vector<std::byte> bytes;
  while (bytes.size() < wanted) {
    const size_t before = bytes.size();
    const size_t step = std::min(wanted - before, std::max<size_t>(before, size_t{1} << 22));
    bytes.resize(before + step);
    const size_t got = in.read(bytes.data() + before, step);
    if (got < step)
      failFile(file, "header says " + shape.str() + ", " + std::to_string(wanted) + " bytes, but only " +
                         std::to_string(before + got) + " follow (truncated?)");
  }
  // Reading on also makes zlib compare the checksum.
  char extra;
  if (in.read(&extra, 1) != 0)
    failFile(file, "header says " + shape.str() + ", but more data follows");
  reverseElements(bytes, byteWidth(*dtype));
  HostArray array(*dtype, shape);
  if (wanted)
    std::memcpy(array.bytes().data(), bytes.data(), wanted);
  return array;
}

} // namespace burn
