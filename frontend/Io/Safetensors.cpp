#include <burn/io.h>

#include "frontend/Io/FileIo.h"

#include <nlohmann/json.hpp>

#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

static_assert(std::endian::native == std::endian::little, "safetensors holds little-endian elements");

namespace burn {

namespace {

using detail::failFile;
using nlohmann::json;

constexpr std::array<std::pair<DType, const char *>, 13> dtypeNames{{
    {DType::F64, "F64"},
    {DType::F32, "F32"},
    {DType::F16, "F16"},
    {DType::BF16, "BF16"},
    {DType::Bool, "BOOL"},
    {DType::I8, "I8"},
    {DType::I16, "I16"},
    {DType::I32, "I32"},
    {DType::I64, "I64"},
    {DType::U8, "U8"},
    {DType::U16, "U16"},
    {DType::U32, "U32"},
    {DType::U64, "U64"},
}};

/// The limit of the format's own library: no real model comes near, and a wrong length is told from a long header.
constexpr uint64_t maxHeaderBytes = 100'000'000;

const char *formatName(DType type) {
  for (const auto &[dtype, name] : dtypeNames)
    if (dtype == type)
      return name;
  return "";
}

/// The header as JSON. Names given twice are refused: readers differ in which one they take.
json parseHeader(std::string_view text, const std::string &file) {
  std::vector<std::set<std::string>> names;
  const auto refuseDuplicates = [&](int depth, json::parse_event_t event, json &parsed) {
    if (depth > 3)
      failFile(file, "safetensors header is nested too deeply");
    if (event == json::parse_event_t::object_start)
      names.emplace_back();
    else if (event == json::parse_event_t::object_end)
      names.pop_back();
    else if (event == json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second)
      failFile(file, "safetensors header has the name '" + parsed.get<std::string>() + "' twice");
    return true;
  };
  try {
    json header = json::parse(text, refuseDuplicates);
    if (!header.is_object())
      failFile(file, "safetensors header is not a JSON object");
    return header;
  } catch (const json::exception &error) {
    failFile(file, std::string("safetensors header is not valid JSON: ") + error.what());
  }
}

/// Where a tensor lies in the data section.
struct Entry {
  std::string name;
  DType dtype;
  Shape shape;
  uint64_t begin, end;
};

Entry readEntry(const std::string &name, const json &value, uint64_t dataBytes, const std::string &file) {
  const auto fail = [&](const std::string &what) { failFile(file, "tensor '" + name + "': " + what); };
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets"))
    fail("expects an object of dtype, shape and data_offsets, got " + value.dump());
  Entry entry{name, DType::F32, {}, 0, 0};

  const json &dtype = value["dtype"];
  if (!dtype.is_string())
    fail("expects dtype to be text, got " + dtype.dump());
  const auto known = std::ranges::find_if(
      dtypeNames, [&](const auto &pair) { return dtype.get_ref<const std::string &>() == pair.second; });
  if (known == dtypeNames.end())
    fail("element type " + dtype.dump() + " is not supported");
  entry.dtype = known->first;

  const json &shape = value["shape"];
  if (!shape.is_array())
    fail("expects shape to be a list, got " + shape.dump());
  if (shape.size() > Shape::maxRank)
    fail("rank " + std::to_string(shape.size()) + " is above the limit of " + std::to_string(Shape::maxRank));
  for (const json &dim : shape) {
    if (!dim.is_number_unsigned() || dim.get<uint64_t>() >= uint64_t{1} << 60)
      fail("expects sizes that are whole numbers, got shape " + shape.dump());
    entry.shape.push(dim.get<int64_t>());
  }
  if (!entry.shape.fits())
    fail("shape " + entry.shape.str() + " is too large");

  const json &offsets = value["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned())
    fail("expects data_offsets to be two whole numbers, got " + offsets.dump());
  entry.begin = offsets[0].get<uint64_t>();
  entry.end = offsets[1].get<uint64_t>();
  if (entry.begin > entry.end)
    fail("data_offsets " + offsets.dump() + " run backwards");
  if (entry.end > dataBytes)
    fail("data_offsets " + offsets.dump() + " lie beyond the " + std::to_string(dataBytes) +
         " bytes of data in the file (truncated?)");
  const uint64_t wanted = static_cast<uint64_t>(entry.shape.numel()) * byteWidth(entry.dtype);
  if (entry.end - entry.begin != wanted)
    fail("data_offsets " + offsets.dump() + " hold " + std::to_string(entry.end - entry.begin) + " bytes, but " +
         formatName(entry.dtype) + entry.shape.str() + " takes " + std::to_string(wanted));
  return entry;
}

} // namespace

Safetensors decode_safetensors(std::span<const std::byte> bytes, const std::string &file) {
  if (bytes.size() < 8)
    failFile(file, "is no safetensors file: " + std::to_string(bytes.size()) +
                       " bytes are too few for the length of the header");
  uint64_t headerBytes;
  std::memcpy(&headerBytes, bytes.data(), 8);
  if (headerBytes > maxHeaderBytes)
    failFile(file, "is no safetensors file: header length " + std::to_string(headerBytes) + " is above the limit of " +
                       std::to_string(maxHeaderBytes));
  if (headerBytes > bytes.size() - 8)
    failFile(file, "safetensors header of " + std::to_string(headerBytes) + " bytes does not fit the file of " +
                       std::to_string(bytes.size()) + " bytes (truncated?)");
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()) + 8, headerBytes);
  if (!text.starts_with('{'))
    failFile(file, "is no safetensors file: the header does not start with '{'");
  const std::span<const std::byte> data = bytes.subspan(8 + headerBytes);
  const json header = parseHeader(text, file);

  Safetensors content;
  std::vector<Entry> entries;
  for (const auto &[name, value] : header.items()) {
    if (name != "__metadata__") {
      entries.push_back(readEntry(name, value, data.size(), file));
      continue;
    }
    if (!value.is_object())
      failFile(file, "expects __metadata__ to be an object, got " + value.dump());
    for (const auto &[key, text] : value.items()) {
      if (!text.is_string())
        failFile(file, "metadata '" + key + "': expects text, got " + text.dump());
      content.metadata[key] = text.get<std::string>();
    }
  }

  std::ranges::sort(entries, {}, [](const Entry &entry) { return std::pair(entry.begin, entry.end); });
  uint64_t end = 0;
  for (const Entry &entry : entries) {
    if (entry.begin < end)
      failFile(file, "tensor '" + entry.name + "' overlaps the tensor before it");
    if (entry.begin > end)
      failFile(file,
               "tensor '" + entry.name + "' leaves a gap of " + std::to_string(entry.begin - end) + " bytes before it");
    end = entry.end;
    HostArray array(entry.dtype, entry.shape);
    if (entry.end > entry.begin)
      std::memcpy(array.bytes().data(), data.data() + entry.begin, entry.end - entry.begin);
    if (entry.dtype == DType::Bool &&
        std::ranges::any_of(array.bytes(), [](std::byte value) { return value > std::byte{1}; }))
      failFile(file, "tensor '" + entry.name + "' holds a boolean that is neither 0 nor 1");
    content.tensors.emplace(entry.name, std::move(array));
  }
  if (end != data.size())
    failFile(file, std::to_string(data.size() - end) + " bytes after the last tensor belong to none");
  return content;
}

namespace {

/// Header bytes and the arrays in the order of their data.
struct Layout {
  std::string header;
  std::vector<const HostArray *> arrays;
};

Layout layOut(const Safetensors &content, const std::string &file) {
  std::vector<std::pair<std::string, const HostArray *>> order;
  for (const auto &[name, array] : content.tensors) {
    if (name == "__metadata__")
      throw Error(ErrorCode::InvalidArgument, file + ": '__metadata__' cannot name a tensor");
    order.emplace_back(name, &array);
  }
  // Wide elements first, so that each tensor is aligned to its element without gaps.
  std::ranges::sort(order, [](const auto &a, const auto &b) {
    const unsigned widthA = byteWidth(a.second->dtype()), widthB = byteWidth(b.second->dtype());
    return widthA != widthB ? widthA > widthB : a.first < b.first;
  });

  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!content.metadata.empty())
    header["__metadata__"] = content.metadata;
  Layout layout;
  uint64_t offset = 0;
  for (const auto &[name, array] : order) {
    const uint64_t end = offset + array->bytes().size();
    header[name] = {{"dtype", formatName(array->dtype())},
                    {"shape", std::vector<int64_t>(array->shape().begin(), array->shape().end())},
                    {"data_offsets", {offset, end}}};
    layout.arrays.push_back(array);
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception &error) {
    throw Error(ErrorCode::InvalidArgument, file + ": a name or metadata text is not UTF-8: " + error.what());
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  layout.header.resize(8);
  std::memcpy(layout.header.data(), &length, 8);
  layout.header += text;
  return layout;
}

std::span<const std::byte> bytesOf(const std::string &text) { return std::as_bytes(std::span(text)); }

} // namespace

std::vector<std::byte> encode_safetensors(const Safetensors &content) {
  const Layout layout = layOut(content, "safetensors");
  std::vector<std::byte> bytes(bytesOf(layout.header).begin(), bytesOf(layout.header).end());
  for (const HostArray *array : layout.arrays)
    bytes.insert(bytes.end(), array->bytes().begin(), array->bytes().end());
  return bytes;
}

Safetensors load_safetensors(const std::filesystem::path &path) {
  return decode_safetensors(detail::readFile(path), path.string());
}

void save_safetensors(const std::filesystem::path &path, const Safetensors &content) {
  const Layout layout = layOut(content, path.string());
  std::vector<std::span<const std::byte>> parts{bytesOf(layout.header)};
  for (const HostArray *array : layout.arrays)
    parts.push_back(array->bytes());
  detail::writeFileAtomically(path, parts);
}

} // namespace burn
