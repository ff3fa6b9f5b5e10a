#include "runtime/Core/GpuPlan.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <functional>

using namespace burn;
using namespace burn::core;

namespace {

// One of each step: buffers of 64, 64 and 1 bytes, an arena of 1024, a constant of 8, scalars of 6.
GpuPlan example() {
  GpuPlan plan;
  plan.features = kGpuInt8 | kGpuStorage8;
  plan.arenaBytes = 1024;
  plan.scalarBytes = 6;
  plan.bufferBytes = {64, 64, 1};
  plan.constants = {std::vector<std::byte>(8, std::byte(7))};
  plan.modules = {{{0x07230203, 0x00010300, 0, 1, 0}}};
  plan.kernels = {{0, "kernel_0", {64, 2, 1}, {kGpuRead, kGpuWrite}, 8, 512, 32, 3}};
  GpuStep launch;
  launch.grid = {7, 2, 1};
  launch.pushConstants = {5, 6};
  launch.ranges = {{GpuMemory::Buffer, 0, 0, 64}, {GpuMemory::Arena, 0, 256, 768}};
  GpuStep copy;
  copy.kind = GpuStepKind::Copy;
  copy.ranges = {{GpuMemory::Scalars, 0, 4, 2}, {GpuMemory::Arena, 0, 1, 2}};
  GpuStep loop;
  loop.kind = GpuStepKind::For;
  loop.indexBytes = 8;
  loop.check = 9;
  loop.ranges = {{GpuMemory::Buffer, 0, 0, 8},
                 {GpuMemory::Constant, 0, 0, 8},
                 {GpuMemory::Arena, 0, 0, 8},
                 {GpuMemory::Arena, 0, 8, 8}};
  loop.first = {launch, copy};
  GpuStep branch;
  branch.kind = GpuStepKind::If;
  branch.ranges = {{GpuMemory::Buffer, 2, 0, 1}};
  branch.first = {loop};
  branch.second = {launch};
  GpuStep repeat = branch;
  repeat.kind = GpuStepKind::While;
  GpuStep print;
  print.kind = GpuStepKind::Print;
  print.kernel = 4;
  print.ranges = {{GpuMemory::Buffer, 1, 0, 64}};
  plan.steps = {launch, branch, repeat, print};
  return plan;
}

bool reads(const GpuPlan &plan) { return parseGpuPlan(serialize(plan)).isOk(); }

} // namespace

TEST_CASE("gpu plan: every field survives a round trip", "[core][gpu]") {
  const std::vector<std::byte> bytes = serialize(example());
  const Expected<GpuPlan> back = parseGpuPlan(bytes);
  REQUIRE(back.isOk());
  CHECK(serialize(*back) == bytes);
  CHECK(back->features == (kGpuInt8 | kGpuStorage8));
  CHECK(back->kernels[0].entry == "kernel_0");
  CHECK(back->kernels[0].workgroup == std::array<uint32_t, 3>{64, 2, 1});
  CHECK(back->kernels[0].workgroupMemoryBytes == 512);
  CHECK(back->kernels[0].subgroupSize == 32);
  CHECK(back->kernels[0].cluster == 3);
  CHECK(back->steps[0].pushConstants == std::vector<uint32_t>{5, 6});
  CHECK(back->steps[1].first[0].check == 9);
  CHECK(back->steps[1].first[0].first[1].ranges[0] == GpuRange{GpuMemory::Scalars, 0, 4, 2});
  CHECK(back->constants == example().constants);
  CHECK(isGpuPlan(bytes));
  CHECK_FALSE(isGpuPlan(std::span(bytes).first(4)));
}

TEST_CASE("gpu plan: what a device must offer", "[core][gpu]") {
  const GpuPlan plan = example();
  CHECK(plan.maxBindings() == 2);
  CHECK(plan.maxInvocations() == 128);
  CHECK(plan.maxWorkgroupMemoryBytes() == 512);
  CHECK(plan.maxPushConstantBytes() == 8);
  CHECK(plan.maxBindingBytes() == 768);
  GpuPlan addressed = plan;
  addressed.kernels[0].arguments = GpuArguments::Addresses;
  CHECK(addressed.maxBindings() == 0);
  CHECK(addressed.maxBindingBytes() == 0);
  CHECK(addressed.maxAddressedBytes() == 768);
  CHECK(addressed.maxPushConstantBytes() == 2 * 8 + 8);
  addressed.kernels[0].arguments = GpuArguments::Table;
  CHECK(addressed.maxPushConstantBytes() == 8 + 8);
  CHECK(parseGpuPlan(serialize(addressed))->kernels[0].arguments == GpuArguments::Table);
  CHECK(plan.maxGrid() == std::array<uint32_t, 3>{7, 2, 1});
}

TEST_CASE("gpu plan: what leaves its tables is refused", "[core][gpu]") {
  const std::pair<const char *, std::function<void(GpuPlan &)>> faults[] = {
      {"unknown feature", [](GpuPlan &plan) { plan.features = 1u << 31; }},
      {"module that is no SPIR-V", [](GpuPlan &plan) { plan.modules[0].words[0] = 0; }},
      {"module without a header", [](GpuPlan &plan) { plan.modules[0].words.resize(4); }},
      {"kernel of no module", [](GpuPlan &plan) { plan.kernels[0].module = 1; }},
      {"empty workgroup", [](GpuPlan &plan) { plan.kernels[0].workgroup[1] = 0; }},
      {"workgroup whose size overflows", [](GpuPlan &plan) { plan.kernels[0].workgroup = {1u << 16, 1u << 16, 4}; }},
      {"workgroup of broken subgroups", [](GpuPlan &plan) { plan.kernels[0].subgroupSize = 48; }},
      {"arguments of unknown kind", [](GpuPlan &plan) { plan.kernels[0].arguments = GpuArguments(3); }},
      {"binding without access", [](GpuPlan &plan) { plan.kernels[0].bindings[0] = 0; }},
      {"step of unknown kind", [](GpuPlan &plan) { plan.steps[0].kind = GpuStepKind(6); }},
      {"launch of no kernel", [](GpuPlan &plan) { plan.steps[0].kernel = 1; }},
      {"empty grid", [](GpuPlan &plan) { plan.steps[0].grid[2] = 0; }},
      {"launch with a binding less", [](GpuPlan &plan) { plan.steps[0].ranges.pop_back(); }},
      {"launch with push constants missing", [](GpuPlan &plan) { plan.steps[0].pushConstants.pop_back(); }},
      {"binding at an odd place", [](GpuPlan &plan) { plan.steps[0].ranges[1] = {GpuMemory::Arena, 0, 64, 64}; }},
      {"range of no buffer", [](GpuPlan &plan) { plan.steps[0].ranges[0].index = 3; }},
      {"range of no memory", [](GpuPlan &plan) { plan.steps[0].ranges[0].memory = GpuMemory(5); }},
      {"range beyond its buffer", [](GpuPlan &plan) { plan.steps[0].ranges[0].bytes = 65; }},
      {"range that wraps around", [](GpuPlan &plan) { plan.steps[0].ranges[1].offset = ~uint64_t(255); }},
      {"range beyond the scalars", [](GpuPlan &plan) { plan.steps[1].first[0].first[1].ranges[0].offset = 7; }},
      {"copy of unequal sizes", [](GpuPlan &plan) { plan.steps[1].first[0].first[1].ranges[1].bytes = 1; }},
      {"copy to a constant",
       [](GpuPlan &plan) { plan.steps[1].first[0].first[1].ranges[1] = {GpuMemory::Constant, 0, 0, 2}; }},
      {"copy onto itself",
       [](GpuPlan &plan) { plan.steps[1].first[0].first[1].ranges[0] = {GpuMemory::Arena, 0, 0, 2}; }},
      {"loop over three bytes", [](GpuPlan &plan) { plan.steps[1].first[0].indexBytes = 3; }},
      {"loop without a place for its index", [](GpuPlan &plan) { plan.steps[1].first[0].ranges.pop_back(); }},
      {"print of nothing", [](GpuPlan &plan) { plan.steps[3].ranges.clear(); }},
      {"print of two values", [](GpuPlan &plan) { plan.steps[3].ranges.push_back(plan.steps[3].ranges[0]); }},
      {"predicate of two bytes", [](GpuPlan &plan) { plan.steps[2].ranges[0] = {GpuMemory::Buffer, 0, 0, 2}; }},
      {"control flow nested too deep",
       [](GpuPlan &plan) {
         for (int i = 0; i < 100; ++i) {
           GpuStep outer = plan.steps[2];
           outer.second.clear();
           outer.first = {std::move(plan.steps[1])};
           plan.steps[1] = std::move(outer);
         }
       }},
  };
  REQUIRE(reads(example()));
  for (const auto &[name, fault] : faults) {
    INFO(name);
    GpuPlan plan = example();
    fault(plan);
    CHECK(parseGpuPlan(serialize(plan)).status().code() == ErrorCode::DataLoss);
  }
}

TEST_CASE("gpu plan: damage of any byte is an error or another plan, never a fault", "[core][gpu]") {
  const std::vector<std::byte> bytes = serialize(example());
  for (size_t length = 0; length < bytes.size(); ++length)
    CHECK_FALSE(parseGpuPlan(std::span(bytes).first(length)).isOk());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int flip : {0x01, 0x80, 0xff}) {
      std::vector<std::byte> damaged = bytes;
      damaged[i] ^= std::byte(flip);
      if (const Expected<GpuPlan> plan = parseGpuPlan(damaged); plan.isOk())
        CHECK(serialize(*plan) == damaged);
    }
}
