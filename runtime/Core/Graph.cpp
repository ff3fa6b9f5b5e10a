#include "runtime/Core/Graph.h"

#include "runtime/Core/Bytes.h"

namespace burn::core {
namespace {

constexpr uint64_t kMagic = 0x485052474e525542; // "BURNGRPH"
constexpr unsigned kMaxNesting = 64;

class Writer {
public:
  explicit Writer(std::vector<std::byte> &bytes) : out(bytes) {}

  void ids(std::span<const uint32_t> values) {
    out.put(static_cast<uint32_t>(values.size()));
    for (uint32_t value : values)
      out.put(value);
  }
  void types(std::span<const TypeDesc> values) {
    out.put(static_cast<uint32_t>(values.size()));
    for (const TypeDesc &value : values)
      out.put(value);
  }
  void ops(std::span<const GraphOp> list) {
    out.put(static_cast<uint32_t>(list.size()));
    for (const GraphOp &op : list) {
      out.put(static_cast<uint16_t>(op.code));
      ids(op.operands);
      out.put(static_cast<uint32_t>(op.attrs.size()));
      for (int64_t word : op.attrs)
        out.put(word);
      types(op.results);
      out.put(static_cast<uint32_t>(op.regions.size()));
      for (const GraphRegion &region : op.regions) {
        types(region.args);
        ops(region.ops);
        ids(region.results);
      }
    }
  }

  ByteWriter out;
};

class Reader {
public:
  explicit Reader(std::span<const std::byte> bytes) : in(bytes) {}

  // Operands are checked against the number of values so far. Ids past a region's end stay known:
  // their use is caught when the graph is imported into IR, where regions scope values.
  void ids(std::vector<uint32_t> &values) {
    values.resize(in.count(sizeof(uint32_t)));
    for (uint32_t &value : values) {
      value = in.get<uint32_t>();
      if (value >= defined)
        in.fail();
    }
  }
  void types(std::vector<TypeDesc> &values) {
    values.resize(in.count(2));
    for (TypeDesc &value : values)
      value = in.type();
  }
  void ops(std::vector<GraphOp> &list, unsigned depth) {
    if (depth > kMaxNesting) {
      in.fail();
      return;
    }
    // An op takes 18 bytes at least, so a count cannot make us reserve much more than the input.
    list.resize(in.count(18));
    for (GraphOp &op : list) {
      op.code = static_cast<OpCode>(in.get<uint16_t>());
      const OpInfo *info = findOp(op.code);
      if (in.ok() && (!info || !info->inGraph)) {
        unknown = static_cast<uint32_t>(op.code);
        in.fail();
      }
      ids(op.operands);
      op.attrs.resize(in.count(sizeof(int64_t)));
      for (int64_t &word : op.attrs)
        word = in.get<int64_t>();
      types(op.results);
      op.regions.resize(in.count(12));
      for (GraphRegion &region : op.regions) {
        types(region.args);
        defined += region.args.size();
        ops(region.ops, depth + 1);
        ids(region.results);
      }
      defined += op.results.size();
      if (!in.ok())
        return;
    }
  }

  ByteReader in;
  uint64_t defined = 0;
  uint32_t unknown = 0;
};

} // namespace

std::vector<std::byte> serialize(const Graph &graph) {
  std::vector<std::byte> bytes;
  Writer writer(bytes);
  writer.out.put(kMagic);
  writer.out.put(kGraphVersion);
  writer.out.put(static_cast<uint32_t>(graph.args.size()));
  for (const GraphArg &arg : graph.args) {
    writer.out.put(arg.type);
    writer.out.put(static_cast<uint8_t>(arg.kind));
    writer.out.put(static_cast<uint8_t>(arg.donated | arg.frozen << 1 | arg.constant.has_value() << 2));
    writer.out.put(std::string_view(arg.name));
    if (arg.constant)
      writer.out.put(*arg.constant);
  }
  writer.ops(graph.ops);
  writer.ids(graph.results);
  return bytes;
}

Expected<Graph> parseGraph(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  if (reader.in.get<uint64_t>() != kMagic)
    return Status::error(ErrorCode::DataLoss, "not a serialized burn graph");
  if (const uint32_t version = reader.in.get<uint32_t>(); version != kGraphVersion)
    return Status::error(ErrorCode::DataLoss, "serialized graph of version " + std::to_string(version) + ", expected " +
                                                  std::to_string(kGraphVersion));
  Graph graph;
  graph.args.resize(reader.in.count(8));
  for (GraphArg &arg : graph.args) {
    arg.type = reader.in.type();
    const uint8_t kind = reader.in.get<uint8_t>(), flags = reader.in.get<uint8_t>();
    if (kind > 1 || flags > 7 || (kind == 1 && arg.type.shape.rank() != 0) || (kind == 0 && flags & 4))
      reader.in.fail();
    arg.kind = static_cast<ArgKind>(kind);
    arg.donated = flags & 1;
    arg.frozen = flags & 2;
    arg.name = reader.in.text();
    if (flags & 4)
      arg.constant = reader.in.get<uint64_t>();
  }
  reader.defined = graph.args.size();
  reader.ops(graph.ops, 0);
  reader.ids(graph.results);
  if (reader.unknown)
    return Status::error(ErrorCode::DataLoss,
                         "serialized graph holds unknown op code " + std::to_string(reader.unknown));
  if (!reader.in.ok() || !reader.in.atEnd())
    return Status::error(ErrorCode::DataLoss, "serialized graph is truncated or malformed");
  return graph;
}

} // namespace burn::core
