#include "runtime/Core/Executable.h"

#include "runtime/Core/Bytes.h"

namespace burn::core {
namespace {

constexpr uint64_t kMagic = 0x4e414c504e525542; // "BURNPLAN"

} // namespace

std::vector<std::byte> serialize(const Plan &plan) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.put(kMagic);
  out.put(kExecutableVersion);
  out.put(plan.arenaBytes);
  out.put(plan.savedBytes);
  out.put(plan.prepareArenaBytes);
  out.put(plan.scalarBytes);
  out.put(static_cast<uint32_t>(plan.args.size()));
  for (const PlanArg &arg : plan.args) {
    out.put(arg.type);
    out.put(static_cast<uint8_t>(arg.kind));
    out.put(static_cast<uint8_t>(arg.donated | arg.frozen << 1));
    out.put(arg.offset);
    out.put(std::string_view(arg.name));
  }
  out.put(static_cast<uint32_t>(plan.results.size()));
  for (const PlanResult &result : plan.results) {
    out.put(result.type);
    out.put(static_cast<uint8_t>(result.source));
    out.put(result.index);
  }
  out.put(static_cast<uint32_t>(plan.kernels.size()));
  for (const PlanKernel &kernel : plan.kernels) {
    out.put(std::string_view(kernel.name));
    out.put(static_cast<uint8_t>(kernel.kind));
    out.put(kernel.bytesRead);
    out.put(kernel.bytesWritten);
    out.put(static_cast<uint32_t>(kernel.ops.size()));
    for (const std::string &op : kernel.ops)
      out.put(std::string_view(op));
  }
  out.put(static_cast<uint32_t>(plan.checks.size()));
  for (const PlanCheck &check : plan.checks) {
    out.put(check.op);
    out.put(std::string_view(check.message));
  }
  out.put(static_cast<uint32_t>(plan.hostCalls.size()));
  for (const PlanHostCall &call : plan.hostCalls) {
    out.put(std::string_view(call.kernel));
    out.put(call.version);
    for (const std::vector<TypeDesc> *types : {&call.operands, &call.results}) {
      out.put(static_cast<uint32_t>(types->size()));
      for (const TypeDesc &type : *types)
        out.put(type);
    }
  }
  out.put(static_cast<uint32_t>(plan.derived.size()));
  for (const PlanDerived &derived : plan.derived) {
    out.put(derived.type);
    out.put(static_cast<uint32_t>(derived.sources.size()));
    for (uint32_t source : derived.sources)
      out.put(source);
  }
  return bytes;
}

Expected<Plan> parsePlan(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  if (in.get<uint64_t>() != kMagic || in.get<uint32_t>() != kExecutableVersion)
    return Status::error(ErrorCode::DataLoss, "not a plan of this version");
  Plan plan;
  plan.arenaBytes = in.get<uint64_t>();
  plan.savedBytes = in.get<uint64_t>();
  plan.prepareArenaBytes = in.get<uint64_t>();
  plan.scalarBytes = in.get<uint32_t>();
  plan.args.resize(in.count(12));
  for (PlanArg &arg : plan.args) {
    arg.type = in.type();
    const uint8_t kind = in.get<uint8_t>(), flags = in.get<uint8_t>();
    if (kind > 1 || flags > 2)
      in.fail();
    arg.kind = static_cast<ArgKind>(kind);
    arg.donated = flags & 1;
    arg.frozen = flags & 2;
    arg.offset = in.get<uint32_t>();
    arg.name = in.text();
    if (arg.kind == ArgKind::Scalar && arg.offset + arg.type.byteSize() > plan.scalarBytes)
      in.fail();
  }
  plan.results.resize(in.count(7));
  for (PlanResult &result : plan.results) {
    result.type = in.type();
    const uint8_t source = in.get<uint8_t>();
    if (source > 3)
      in.fail();
    result.source = static_cast<ResultSource>(source);
    result.index = in.get<uint32_t>();
    const bool arg = result.source == ResultSource::Donated || result.source == ResultSource::Arg;
    if (arg && (result.index >= plan.args.size() || plan.args[result.index].kind != ArgKind::Buffer))
      in.fail();
    if (result.source == ResultSource::Result && result.index >= static_cast<size_t>(&result - plan.results.data()))
      in.fail();
  }
  plan.kernels.resize(in.count(25));
  for (PlanKernel &kernel : plan.kernels) {
    kernel.name = in.text();
    const uint8_t kind = in.get<uint8_t>();
    if (kind > static_cast<uint8_t>(ClusterKind::Single))
      in.fail();
    kernel.kind = static_cast<ClusterKind>(kind);
    kernel.bytesRead = in.get<uint64_t>();
    kernel.bytesWritten = in.get<uint64_t>();
    kernel.ops.resize(in.count(4));
    for (std::string &op : kernel.ops)
      op = in.text();
  }
  plan.checks.resize(in.count(8));
  for (PlanCheck &check : plan.checks) {
    check.op = in.get<uint32_t>();
    check.message = in.text();
  }
  plan.hostCalls.resize(in.count(20));
  for (PlanHostCall &call : plan.hostCalls) {
    call.kernel = in.text();
    call.version = in.get<int64_t>();
    for (std::vector<TypeDesc> *types : {&call.operands, &call.results}) {
      types->resize(in.count(2));
      for (TypeDesc &type : *types)
        type = in.type();
    }
  }
  plan.derived.resize(in.count(6));
  for (PlanDerived &derived : plan.derived) {
    derived.type = in.type();
    derived.sources.resize(in.count(4));
    for (uint32_t &source : derived.sources)
      if (source = in.get<uint32_t>(); source >= plan.args.size() || !plan.args[source].frozen)
        in.fail();
  }
  if (!in.ok() || !in.atEnd())
    return Status::error(ErrorCode::DataLoss, "the plan is truncated or malformed");
  return plan;
}

} // namespace burn::core
