// What a plan is compiled for, as its key holds it.
#pragma once

#include "runtime/Devices/Cpu/CpuTarget.h"

#include <burn/compiler_api.h>

#include <string>
#include <utility>

namespace burn::runtime {

struct PlanTarget {
  PlanTarget() = default;
  PlanTarget(std::string cpuName, std::string cpuFeatures)
      : cpu(std::move(cpuName)), features(std::move(cpuFeatures)) {}
  PlanTarget(const CpuTarget &target) : PlanTarget(target.cpu, target.features) {}

  burn_device_kind kind = BURN_DEVICE_CPU;
  std::string cpu;      // of CPUs: a name of LLVM
  std::string features; // of CPUs: names of LLVM; of GPUs: their capabilities, a core::GpuTarget
  std::string driver;   // of GPUs: device, driver and version

  friend bool operator==(const PlanTarget &, const PlanTarget &) = default;
};

} // namespace burn::runtime
