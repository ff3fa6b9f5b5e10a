#include "runtime/Core/GpuTarget.h"
#include "runtime/Core/GpuPlan.h"

#include <catch2/catch.hpp>

using namespace burn::core;

TEST_CASE("the description of a GPU as text") {
  GpuTarget target;
  target.features = kGpuFloat64 | kGpuStorage8;
  target.subgroupSize = 32;
  target.maxGrid = {2147483647, 65535, 65534};
  target.maxBindingBytes = uint64_t(1) << 34;
  target.matrices = {{GpuMatrixShape::F16, 16, 8, 16}, {GpuMatrixShape::I8, 16, 16, 32}};
  const auto read = GpuTarget::parse(target.str());
  REQUIRE(read);
  CHECK(*read == target);

  // What is absent is what each device of the baseline has: the required limits of the Vulkan specification.
  const auto none = GpuTarget::parse("");
  REQUIRE(none);
  CHECK(none->features == 0);
  CHECK(none->maxInvocations == 128);
  CHECK(none->maxBindingBytes == 134217728);
  CHECK(none->workgroupMemoryBytes == 16384);
}

TEST_CASE("which kernels find their memory by address") {
  GpuTarget target;
  target.maxBindings = 32;
  target.maxAddressedBytes = uint64_t(1) << 31;
  CHECK_FALSE(target.takesAddresses(33, 1));
  CHECK(target.maxBufferBytes() == target.maxBindingBytes);
  CHECK(target.fusedBuffers() == 32);
  target.features = kGpuAddresses;
  CHECK(target.takesAddresses(1, 1));
  CHECK(target.maxBufferBytes() == uint64_t(1) << 31);
  CHECK(target.fusedBuffers() == 0); // any number
  target.boundBuffers = 8;
  CHECK_FALSE(target.takesAddresses(8, target.maxBindingBytes));
  CHECK(target.takesAddresses(9, 1));
  CHECK(target.takesAddresses(1, target.maxBindingBytes + 1));
  CHECK(target.fusedBuffers() == 8);
}

TEST_CASE("a malformed description of a GPU is refused with its word") {
  for (const char *word : {"teraflops=9", "bindings", "bindings=", "bindings=4x", "bindings=-1", "subgroup=4294967296",
                           "matrix=f16:16x16", "matrix=f64:8x8x4", "matrix=f16:16x16x16x16", "matrix=f16:0x16x16"}) {
    const auto read = GpuTarget::parse(std::string("invocations=256,") + word);
    REQUIRE_FALSE(read);
    CHECK(read.status().code() == burn::ErrorCode::InvalidArgument);
    CHECK(read.status().message().find(word) != std::string::npos);
  }
}
