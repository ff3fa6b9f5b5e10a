#include "test/unit/frontend/TemporaryFolder.h"

#include <burn/data.h>

#include <zlib.h>

using burn::DType;
using burn::HostArray;
using burn::Split;
using Catch::Contains;

namespace {

std::string idx(unsigned char type, std::initializer_list<uint32_t> shape, const std::string &data) {
  std::string bytes{'\0', '\0', static_cast<char>(type), static_cast<char>(shape.size())};
  for (const uint32_t dim : shape)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes += static_cast<char>(dim >> shift);
  return bytes + data;
}

void writeGzip(const std::filesystem::path &path, const std::string &bytes) {
  gzFile out = gzopen(path.c_str(), "wb");
  REQUIRE(gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
  REQUIRE(gzclose(out) == Z_OK);
}

std::string noise(size_t count) {
  std::string bytes;
  for (uint32_t state = 1; bytes.size() < count;)
    bytes += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

} // namespace

TEST_CASE("idx: plain and compressed files are read, big-endian elements are turned", "[data]") {
  const TemporaryFolder folder;
  writeBytes(folder / "a", idx(0x08, {2, 3}, "abcdef"));
  CHECK(burn::load_idx(folder / "a") == HostArray::of<uint8_t>({2, 3}, {'a', 'b', 'c', 'd', 'e', 'f'}));
  writeGzip(folder / "b.gz", idx(0x0B, {2}, std::string("\x01\x02\xff\xfe", 4)));
  CHECK(burn::load_idx(folder / "b.gz") == HostArray::of<int16_t>({2}, {0x0102, -2}));
  writeGzip(folder / "c.gz", idx(0x0D, {1}, std::string("\x3f\x80\x00\x00", 4)));
  CHECK(burn::load_idx(folder / "c.gz") == HostArray::of<float>({1}, {1.0f}));
}

TEST_CASE("idx: bad files are refused by name", "[data]") {
  const TemporaryFolder folder;
  const auto error = [&](const std::string &bytes) {
    writeGzip(folder / "bad.gz", bytes);
    const std::string message = errorOf([&] { burn::load_idx(folder / "bad.gz"); });
    CHECK_THAT(message, Contains("bad.gz"));
    return message;
  };
  CHECK_THAT(error("ab"), Contains("shorter than 4 bytes"));
  CHECK_THAT(error("\x89PNG\r\n"), Contains("wrong magic number 0x89504e47"));
  CHECK_THAT(error(std::string("\0\0\x07\x01\0\0\0\0", 8)), Contains("wrong magic number 0x00000701"));
  CHECK_THAT(error(std::string("\0\0\x08\x02\0\0\0\1\0", 9)), Contains("within its header"));
  CHECK_THAT(error(idx(0x08, {4}, "abc")), Contains("only 3 follow"));
  CHECK_THAT(error(idx(0x08, {4}, "abcde")), Contains("more data follows"));
  // A damaged header must not allocate the terabytes it speaks of.
  CHECK_THAT(error(idx(0x08, {0xffffffff, 1000}, "abc")), Contains("only 3 follow"));
  CHECK_THAT(error(idx(0x08, {0xffffffff, 0xffffffff, 0xffffffff}, "abc")), Contains("too large"));
  CHECK_THAT(errorOf([&] { burn::load_idx(folder / "none.gz"); }), Contains("none.gz") && Contains("No such file"));
}

TEST_CASE("idx: a compressed file is refused when cut at any length or changed in any byte", "[data]") {
  const TemporaryFolder folder;
  writeGzip(folder / "good.gz", idx(0x08, {300}, noise(300)));
  const std::string good = readBytes(folder / "good.gz");
  const HostArray wanted = burn::load_idx(folder / "good.gz");
  for (size_t length = 0; length < good.size(); ++length) {
    writeBytes(folder / "cut.gz", good.substr(0, length));
    REQUIRE_THAT(errorOf([&] { burn::load_idx(folder / "cut.gz"); }), Contains("cut.gz"));
  }
  // The header of gzip holds a time and a system that do not matter; bit 4 behind it pads a stored block.
  for (size_t i = 10; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    writeBytes(folder / "bad.gz", bad);
    if (i == 10)
      REQUIRE(burn::load_idx(folder / "bad.gz") == wanted);
    else
      REQUIRE_THAT(errorOf([&] { burn::load_idx(folder / "bad.gz"); }), Contains("bad.gz"));
  }
}

TEST_CASE("mnist: parts are read, and files that do not belong together are refused", "[data]") {
  const TemporaryFolder folder;
  const auto images = [&](uint32_t count) {
    writeGzip(folder / "train-images-idx3-ubyte.gz", idx(0x08, {count, 2, 2}, noise(4 * count)));
  };
  const auto labels = [&](const std::string &data) {
    writeGzip(folder / "train-labels-idx1-ubyte.gz", idx(0x08, {static_cast<uint32_t>(data.size())}, data));
  };
  const auto error = [&] { return errorOf([&] { burn::load_mnist(folder.path(), Split::Train); }); };
  CHECK_THAT(error(), Contains("train-images-idx3-ubyte.gz") && Contains("No such file"));
  images(3);
  labels("\x07\x01\x09");
  const burn::ImageDataset dataset = burn::load_mnist(folder.path(), Split::Train);
  CHECK(dataset.size() == 3);
  CHECK(dataset.labels == HostArray::of<uint8_t>({3}, {7, 1, 9}));
  labels("\x07\x01");
  CHECK_THAT(error(), Contains("train-labels-idx1-ubyte.gz") && Contains("holds 2 labels") && Contains("3 images"));
  labels("\x07\x0a\x01");
  CHECK_THAT(error(), Contains("label 10 at index 1"));
  writeGzip(folder / "train-images-idx3-ubyte.gz", idx(0x08, {3}, "abc"));
  CHECK_THAT(error(), Contains("holds no images"));
  images(0);
  labels("");
  CHECK_THAT(error(), Contains("holds no pixels"));
  writeBytes(folder / "t10k-images-idx3-ubyte", idx(0x08, {1, 2, 2}, "abcd"));
  writeBytes(folder / "t10k-labels-idx1-ubyte", idx(0x08, {1}, "\x02"));
  CHECK(burn::load_mnist(folder.path(), Split::Test).images == HostArray::of<uint8_t>({1, 2, 2}, {'a', 'b', 'c', 'd'}));
}
