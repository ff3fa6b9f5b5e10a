// Whether a program is compiled right for a device.
#pragma once

#include "tools/burn-fuzz/Coverage.h"
#include "tools/burn-fuzz/GuardedDevice.h"
#include "tools/burn-fuzz/Program.h"

namespace burn::fuzz {

/// As findFailure (Oracle.h), on a device. A program that the device or the compiler for it refuses is no failure: the
/// reason is counted in `coverage`, where it is not null.
std::string findFailureOnDevice(const Program &program, GuardedDevice &device, Coverage *coverage);

} // namespace burn::fuzz
