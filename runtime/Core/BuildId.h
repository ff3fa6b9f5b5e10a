#ifndef RUNTIME_CORE_BUILDID_H
#define RUNTIME_CORE_BUILDID_H

namespace burn::core {

/// Identifies the build of libburn-compiler: 32 hexadecimal digits over everything that its code is
/// made from (sources, LLVM version, compiler, flags). libburn holds the same string, as part of
/// every plan key; a compiler whose id differs is refused.
const char *compilerBuildId();

} // namespace burn::core

#endif // RUNTIME_CORE_BUILDID_H
