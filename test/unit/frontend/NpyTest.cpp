#include "test/unit/frontend/TemporaryFolder.h"

#include <burn/io.h>

using burn::DType;
using burn::HostArray;
using burn::Shape;
using Catch::Contains;

namespace {

std::string npy(const std::string &header, const std::string &data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {version, '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  if (version > 1)
    bytes += std::string(2, '\0');
  return bytes + header + data;
}

const std::string twoFloats("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);

} // namespace

TEST_CASE("npy: the bytes are those that numpy.save writes", "[io]") {
  const TemporaryFolder folder;
  burn::save_npy(folder / "a.npy", HostArray::of<float>({1, 2}, {1.0f, -2.0f}));
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  header.resize(117, ' ');
  CHECK(readBytes(folder / "a.npy") == npy(header + "\n", twoFloats));
}

TEST_CASE("npy: element types and ranks survive a round trip", "[io]") {
  const TemporaryFolder folder;
  for (const DType dtype : {DType::F64, DType::F32, DType::F16, DType::I8, DType::I16, DType::I32, DType::I64,
                            DType::U8, DType::U16, DType::U32, DType::U64}) {
    for (const Shape &shape : {Shape{}, Shape{3}, Shape{2, 0}, Shape{2, 3, 2}}) {
      HostArray array(dtype, shape);
      uint8_t value = 3;
      for (std::byte &byte : array.bytes())
        byte = std::byte(value = static_cast<uint8_t>(value * 29 + 5));
      burn::save_npy(folder / "a.npy", array);
      CHECK(burn::load_npy(folder / "a.npy") == array);
    }
  }
  const HostArray flags = HostArray::of<bool>({3}, {true, false, true});
  burn::save_npy(folder / "b.npy", flags);
  CHECK(burn::load_npy(folder / "b.npy") == flags);
  CHECK_THAT(errorOf([&] { burn::save_npy(folder / "c.npy", HostArray(DType::BF16, {1})); }), Contains("bf16"));
}

TEST_CASE("npy: versions 2 and 3, other spacing and 1-D Fortran order are read", "[io]") {
  const TemporaryFolder folder;
  const HostArray wanted = HostArray::of<float>({2}, {1.0f, -2.0f});
  for (const char version : {2, 3}) {
    writeBytes(folder / "a.npy",
               npy("{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":True}\n", twoFloats, version));
    CHECK(burn::load_npy(folder / "a.npy") == wanted);
  }
}

TEST_CASE("npy: bad files are refused with the reason", "[io]") {
  const TemporaryFolder folder;
  const auto error = [&](const std::string &bytes) {
    writeBytes(folder / "bad.npy", bytes);
    const std::string message = errorOf([&] { burn::load_npy(folder / "bad.npy"); });
    CHECK_THAT(message, Contains("bad.npy"));
    return message;
  };
  const auto header = [](const std::string &descr, const std::string &order, const std::string &shape) {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  };
  const std::string good = npy(header("'<f4'", "False", "(2,)"), twoFloats);
  for (size_t length = 0; length < good.size(); ++length)
    error(good.substr(0, length));
  CHECK_THAT(error("PK\x03\x04 an archive"), Contains("no .npy file"));
  CHECK_THAT(error(npy("", "", 9)), Contains("version 9"));
  CHECK_THAT(error(good + "x"), Contains("takes 8 bytes, the file holds 9"));
  CHECK_THAT(error(npy(header("'<f4'", "True", "(1, 2)"), twoFloats)), Contains("Fortran"));
  CHECK_THAT(error(npy(header("'>f4'", "False", "(2,)"), twoFloats)), Contains("big-endian"));
  CHECK_THAT(error(npy(header("'<c8'", "False", "(1,)"), twoFloats)), Contains("'<c8' is not supported"));
  CHECK_THAT(error(npy(header("[('a', '<f4')]", "False", "(1,)"), twoFloats)), Contains("structured"));
  CHECK_THAT(error(npy(header("'<f4'", "None", "(2,)"), twoFloats)), Contains("True or False"));
  CHECK_THAT(error(npy(header("'<f4'", "False", "(-2,)"), twoFloats)), Contains("at least 0"));
  CHECK_THAT(error(npy(header("'<f4'", "False", "(1,1,1,1,1,1,1,1,2)"), twoFloats)), Contains("rank"));
  CHECK_THAT(error(npy(header("'<f4'", "False", "(99999999999, 99999999999)"), twoFloats)), Contains("too large"));
  CHECK_THAT(error(npy("{'descr': '<f4'}", twoFloats)), Contains("missing"));
  CHECK_THAT(error(npy("{'descr': '<f4', 'other': 1}", twoFloats)), Contains("'other'"));
}
