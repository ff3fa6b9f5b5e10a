#include "test/unit/frontend/TemporaryFolder.h"

#include <burn/io.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using burn::DType;
using burn::HostArray;
using burn::Safetensors;
using burn::Shape;
using Catch::Contains;

namespace {

std::string fileOf(std::string header, const std::string &data) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<char>(header.size() >> (8 * i));
  return bytes + header + data;
}

Safetensors decode(const std::string &bytes) {
  return burn::decode_safetensors(std::as_bytes(std::span<const char>(bytes)), "model.safetensors");
}

std::string errorOfHeader(const std::string &header, const std::string &data = "") {
  const std::string message = errorOf([&] { decode(fileOf(header, data)); });
  CHECK_THAT(message, Contains("model.safetensors"));
  return message;
}

std::string tensor(const std::string &dtype, const std::string &shape, const std::string &offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

} // namespace

TEST_CASE("safetensors: a file written by hand is read", "[io]") {
  const std::string header = R"({"__metadata__":{"format":"pt"},"b":)" + tensor("I16", "[]", "[8,10]") + R"(,"a":)" +
                             tensor("F32", "[1,2]", "[0,8]") + R"(,"none":)" + tensor("U8", "[0,3]", "[10,10]") + "}  ";
  const std::string data("\x00\x00\x80\x3f\x00\x00\x00\xc0\x34\x12", 10);
  const Safetensors content = decode(fileOf(header, data));
  CHECK(content.metadata == std::map<std::string, std::string>{{"format", "pt"}});
  REQUIRE(content.tensors.size() == 3);
  CHECK(content.tensors.at("a") == HostArray::of<float>({1, 2}, {1.0f, -2.0f}));
  CHECK(content.tensors.at("b") == HostArray::of<int16_t>(Shape{}, {0x1234}));
  CHECK(content.tensors.at("none") == HostArray(DType::U8, {0, 3}));
}

TEST_CASE("safetensors: every element type survives a round trip, and equal content gives equal bytes", "[io]") {
  Safetensors content;
  for (const DType dtype : {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I8, DType::I16, DType::I32,
                            DType::I64, DType::U8, DType::U16, DType::U32, DType::U64}) {
    HostArray array(dtype, {3, 5});
    uint8_t value = 1;
    for (std::byte &byte : array.bytes())
      byte = std::byte(value = static_cast<uint8_t>(value * 37 + 11));
    content.tensors["t." + std::string(name(dtype))] = array;
  }
  content.tensors["flag"] = HostArray::of<bool>({2}, {true, false});
  content.tensors["empty"] = HostArray(DType::F32, {4, 0});
  content.metadata = {{"step", "17"}, {"text", "a \"quoted\"\nline \xc3\xa9"}};

  const TemporaryFolder folder;
  burn::save_safetensors(folder / "a.safetensors", content);
  burn::save_safetensors(folder / "b.safetensors", Safetensors(content));
  const Safetensors back = burn::load_safetensors(folder / "a.safetensors");
  CHECK(back.tensors == content.tensors);
  CHECK(back.metadata == content.metadata);
  CHECK(readBytes(folder / "a.safetensors") == readBytes(folder / "b.safetensors"));
  const std::vector<std::byte> bytes = burn::encode_safetensors(content);
  CHECK(readBytes(folder / "a.safetensors") == std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

TEST_CASE("safetensors: data starts at a multiple of 8 and wide elements come first", "[io]") {
  Safetensors content;
  content.tensors["a"] = HostArray::of<uint8_t>({1}, {7});
  content.tensors["b"] = HostArray::of<double>({1}, {1.5});
  const std::vector<std::byte> bytes = burn::encode_safetensors(content);
  REQUIRE(bytes.size() % 8 == 1);
  CHECK(bytes.back() == std::byte{7});
  CHECK(bytes[bytes.size() - 2] == std::byte{0x3f});
}

TEST_CASE("safetensors: a cut file is refused at every length", "[io]") {
  Safetensors content;
  content.tensors["weight"] = HostArray::of<float>({2, 2}, {1, 2, 3, 4});
  const std::vector<std::byte> bytes = burn::encode_safetensors(content);
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::string message =
        errorOf([&] { burn::decode_safetensors(std::span(bytes).first(length), "cut.safetensors"); });
    REQUIRE_THAT(message, Contains("cut.safetensors"));
  }
}

TEST_CASE("safetensors: headers that do not fit are refused", "[io]") {
  CHECK_THAT(errorOf([] { decode("short"); }), Contains("5 bytes are too few"));
  CHECK_THAT(errorOf([] { decode(std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10)); }), Contains("limit"));
  CHECK_THAT(errorOf([] { decode(std::string("\x10\0\0\0\0\0\0\0{}", 10)); }), Contains("truncated"));
  CHECK_THAT(errorOfHeader("[]"), Contains("does not start with '{'"));
  CHECK_THAT(errorOfHeader("{]"), Contains("not valid JSON"));
  CHECK_THAT(errorOfHeader("{\"a\xff\":1}"), Contains("not valid JSON"));
  CHECK_THAT(errorOfHeader(R"({"a":1})"), Contains("tensor 'a'"));
  CHECK_THAT(errorOfHeader(R"({"__metadata__":{"a":1}})"), Contains("metadata 'a': expects text"));
  CHECK_THAT(errorOfHeader("{\"a\":" + std::string(100000, '[')), Contains("nested too deeply"));
  const std::string one = tensor("U8", "[1]", "[0,1]");
  CHECK_THAT(errorOfHeader(R"({"a":)" + one + R"(,"a":)" + one + "}", "x"), Contains("'a' twice"));
}

TEST_CASE("safetensors: tensors that contradict themselves are refused", "[io]") {
  const auto error = [](const std::string &dtype, const std::string &shape, const std::string &offsets) {
    return errorOfHeader(R"({"a":)" + tensor(dtype, shape, offsets) + "}", "12345678");
  };
  CHECK_THAT(error("F8_E4M3", "[8]", "[0,8]"), Contains("\"F8_E4M3\" is not supported"));
  CHECK_THAT(error("F32", "[3]", "[0,8]"), Contains("hold 8 bytes, but F32[3] takes 12"));
  CHECK_THAT(error("F32", "[-1]", "[0,8]"), Contains("shape [-1]"));
  CHECK_THAT(error("F32", "[1.5]", "[0,8]"), Contains("shape [1.5]"));
  CHECK_THAT(error("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), Contains("rank 9"));
  CHECK_THAT(error("F32", "[4294967296,4294967296,4294967296]", "[0,8]"), Contains("too large"));
  CHECK_THAT(error("F32", "[2]", "[8,0]"), Contains("backwards"));
  CHECK_THAT(error("F32", "[4]", "[0,16]"), Contains("beyond the 8 bytes"));
  CHECK_THAT(error("F32", "[2]", "[0]"), Contains("two whole numbers"));
  CHECK_THAT(error("F32", "[1]", "[0,4]"), Contains("4 bytes after the last tensor"));
  CHECK_THAT(error("F32", "[1]", "[4,8]"), Contains("gap of 4 bytes"));
  CHECK_THAT(error("BOOL", "[8]", "[0,8]"), Contains("neither 0 nor 1"));
  CHECK_THAT(errorOfHeader(R"({"a":)" + tensor("U8", "[8]", "[0,8]") + R"(,"b":)" + tensor("U8", "[4]", "[4,8]") + "}",
                           "12345678"),
             Contains("tensor 'b' overlaps"));
}

TEST_CASE("safetensors: a file that cannot be written leaves the old one and no rest", "[io]") {
  const TemporaryFolder folder;
  Safetensors content;
  content.tensors["a"] = HostArray::of<float>({1}, {1});
  CHECK_THAT(errorOf([&] { burn::save_safetensors(folder / "none/a.safetensors", content); }),
             Contains("none/a.safetensors") && Contains("No such file"));
  CHECK_THAT(errorOf([&] { burn::load_safetensors(folder / "b.safetensors"); }),
             Contains("b.safetensors") && Contains("No such file"));
  CHECK_THAT(errorOf([&] { burn::load_safetensors(folder.path()); }), Contains("Is a directory"));
  std::filesystem::create_directories(folder / "c/d");
  CHECK_THAT(errorOf([&] { burn::save_safetensors(folder / "c", content); }), Contains("cannot replace"));
  content.metadata["bad"] = "\xff";
  CHECK_THAT(errorOf([&] { burn::save_safetensors(folder / "a.safetensors", content); }), Contains("UTF-8"));
  content.metadata.clear();
  content.tensors["__metadata__"] = HostArray::of<float>({1}, {1});
  CHECK_THAT(errorOf([&] { burn::save_safetensors(folder / "a.safetensors", content); }), Contains("__metadata__"));
  const auto entries = std::filesystem::directory_iterator(folder.path());
  CHECK(std::distance(begin(entries), end(entries)) == 1);
}

TEST_CASE("safetensors: a pipe is written to and stays a pipe", "[io]") {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  const Safetensors content = decode(fileOf(R"({"a":)" + tensor("I16", "[1]", "[0,2]") + "}", "xy"));
  burn::save_safetensors(folder / "file", content);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  burn::save_safetensors(pipe, content);
  std::string got(4096, '\0');
  got.resize(size_t(std::max<ssize_t>(::read(reader, got.data(), got.size()), 0)));
  ::close(reader);
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(got == readBytes(folder / "file"));
}
