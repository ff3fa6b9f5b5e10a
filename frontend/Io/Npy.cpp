#include <burn/io.h>

#include "frontend/Io/FileIo.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

static_assert(std::endian::native == std::endian::little, "arrays are read and written as they lie in memory");

namespace burn {

namespace {

using detail::failFile;

constexpr std::string_view magic = "\x93NUMPY";

constexpr std::array<std::pair<DType, std::string_view>, 12> typeNames{{
    {DType::F64, "<f8"},
    {DType::F32, "<f4"},
    {DType::F16, "<f2"},
    {DType::Bool, "|b1"},
    {DType::I8, "|i1"},
    {DType::I16, "<i2"},
    {DType::I32, "<i4"},
    {DType::I64, "<i8"},
    {DType::U8, "|u1"},
    {DType::U16, "<u2"},
    {DType::U32, "<u4"},
    {DType::U64, "<u8"},
}};

struct Header {
  std::optional<DType> dtype;
  std::optional<bool> fortranOrder;
  std::optional<Shape> shape;
};

/// Reads the header, a Python dictionary of three keys: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &file) : text_(text), file_(file) {}

  Header parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !header_.dtype)
        header_.dtype = elementType();
      else if (key == "fortran_order" && !header_.fortranOrder)
        header_.fortranOrder = boolean();
      else if (key == "shape" && !header_.shape)
        header_.shape = shape();
      else
        fail("key '" + std::string(key) + "' is unknown or given twice");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (!text_.empty())
      fail("text after the closing brace");
    if (!header_.dtype || !header_.fortranOrder || !header_.shape)
      fail("one of descr, fortran_order and shape is missing");
    return header_;
  }

private:
  [[noreturn]] void fail(const std::string &what) { failFile(file_, "bad .npy header: " + what); }

  void skipSpace() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n"), text_.size())); }

  bool accept(char wanted) {
    skipSpace();
    if (!text_.starts_with(wanted))
      return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted))
      fail(std::string("expects '") + wanted + "' before \"" + std::string(text_.substr(0, 20)) + "\"");
  }

  std::string_view string() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'')
      expect('\'');
    const size_t length = text_.find(quote);
    if (length == text_.npos)
      fail("text without an end");
    const std::string_view value = text_.substr(0, length);
    text_.remove_prefix(length + 1);
    return value;
  }

  bool boolean() {
    skipSpace();
    for (const auto &[word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return value;
      }
    }
    fail("expects fortran_order to be True or False");
  }

  DType elementType() {
    skipSpace();
    if (text_.starts_with('['))
      fail("structured arrays are not supported");
    const std::string_view descr = string();
    for (const auto &[dtype, name] : typeNames)
      if (descr == name || (byteWidth(dtype) == 1 && descr.size() == 3 && descr.substr(1) == name.substr(1)))
        return dtype;
    if (descr.starts_with('>'))
      fail("big-endian elements ('" + std::string(descr) + "') are not supported");
    fail("element type '" + std::string(descr) + "' is not supported");
  }

  Shape shape() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      skipSpace();
      int64_t dim = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), dim);
      if (error != std::errc() || dim < 0)
        fail("expects shape to hold sizes of at least 0");
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      if (!shape.push(dim))
        fail("rank above the limit of " + std::to_string(Shape::maxRank));
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    if (!shape.fits())
      fail("shape " + shape.str() + " is too large");
    return shape;
  }

  std::string_view text_;
  const std::string &file_;
  Header header_;
};

} // namespace

HostArray load_npy(const std::filesystem::path &path) {
  const std::string file = path.string();
  const std::vector<std::byte> bytes = detail::readFile(path);
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (!text.starts_with(magic))
    failFile(file, "is no .npy file: the first bytes are not \\x93NUMPY");
  if (text.size() < 8)
    failFile(file, ".npy file ends within its header");
  const unsigned version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3)
    failFile(file, ".npy version " + std::to_string(version) + " is not supported");
  const size_t lengthBytes = version == 1 ? 2 : 4;
  uint32_t length = 0;
  if (text.size() < 8 + lengthBytes)
    failFile(file, ".npy file ends within its header");
  std::memcpy(&length, text.data() + 8, lengthBytes);
  const size_t dataBegin = 8 + lengthBytes + length;
  if (dataBegin > text.size())
    failFile(file, ".npy header of " + std::to_string(length) + " bytes does not fit the file of " +
                       std::to_string(text.size()) + " bytes (truncated?)");

  const Header header = HeaderParser(text.substr(8 + lengthBytes, length), file).parse();
  if (*header.fortranOrder && header.shape->rank() > 1)
    failFile(file, "array is in Fortran (column-major) order; save numpy.ascontiguousarray(a) instead");
  const size_t wanted = static_cast<size_t>(header.shape->numel()) * byteWidth(*header.dtype);
  const size_t present = text.size() - dataBegin;
  if (present != wanted)
    failFile(file, "array of " + std::string(name(*header.dtype)) + header.shape->str() + " takes " +
                       std::to_string(wanted) + " bytes, the file holds " + std::to_string(present) +
                       (present < wanted ? " (truncated?)" : ""));
  HostArray array(*header.dtype, *header.shape);
  if (wanted)
    std::memcpy(array.bytes().data(), text.data() + dataBegin, wanted);
  if (*header.dtype == DType::Bool &&
      std::ranges::any_of(array.bytes(), [](std::byte value) { return value > std::byte{1}; }))
    failFile(file, "holds a boolean that is neither 0 nor 1");
  return array;
}

void save_npy(const std::filesystem::path &path, const HostArray &array) {
  std::string_view descr;
  for (const auto &[dtype, name] : typeNames)
    if (dtype == array.dtype())
      descr = name;
  if (descr.empty())
    throw Error(ErrorCode::Unsupported,
                path.string() + ": NumPy has no element type for " + std::string(name(array.dtype())));
  std::string shape;
  for (int64_t dim : array.shape())
    shape += (shape.empty() ? "" : ", ") + std::to_string(dim);
  if (array.shape().rank() == 1)
    shape += ",";
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Data starts at a multiple of 64 bytes; the header ends in a line feed, as NumPy writes it.
  const size_t prefix = magic.size() + 2 + 2;
  header.resize((prefix + header.size() + 1 + 63) / 64 * 64 - prefix, ' ');
  header.back() = '\n';
  std::string start(magic);
  start += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  start += header;
  const std::array parts{std::as_bytes(std::span<const char>(start)), array.bytes()};
  detail::writeFileAtomically(path, parts);
}

} // namespace burn
