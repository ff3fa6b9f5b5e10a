/// The kernel cache on disk, for tools: what it holds and whether it is sound.
#ifndef BURN_CACHE_H
#define BURN_CACHE_H

#include <burn/export.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace burn {

/// Whether a program could use an entry.
enum class CacheEntryState {
  Sound,
  /// Made by another build of LLVM or MLIR than the one installed; replaced when it is next needed.
  Stale,
  /// Damaged, or not to be trusted; never used.
  Damaged,
};

/// One file of the kernel cache: one compiled plan.
struct CacheEntryInfo {
  std::string file;     ///< name in the directory
  uint64_t bytes = 0;   ///< size of the file
  int64_t last_use = 0; ///< seconds since 1970-01-01 UTC; what eviction goes by
  CacheEntryState state = CacheEntryState::Sound;
  std::string problem;  ///< of an entry that is not sound
  uint64_t kernels = 0; ///< kernels in the plan
  std::string source;   ///< what was compiled: "graph" (a trace) or "mlir"; "driver" and "winner" for what is no plan
  std::string kernel;   ///< of a winner: the kernel that was measured, and on which machine
  std::string cpu;      ///< LLVM name of the processor that the code is for
  std::string options;  ///< options that change code, where they are not the default: "unfused fast-math"
  std::string build_id; ///< of the compiler
};

/// The directory of the kernel cache: $BURN_CACHE_DIR, else $XDG_CACHE_HOME/burn, else ~/.cache/burn. Empty where
/// BURN_CACHE=off.
BURN_API std::string cache_directory();

/// All entries of a cache directory, each read and checked in full, sorted by file name. A directory that does not
/// exist has none. Throws burn::Error (Io) where the directory cannot be read or is not trusted: it must belong to
/// this user or root, and nobody else may write to it.
BURN_API std::vector<CacheEntryInfo> cache_entries(const std::string &directory);

/// The parts of an entry, as bytes of the project's own formats (docs/cache-format.md).
struct CacheEntryContents {
  CacheEntryInfo info;
  std::vector<std::byte> code; ///< an ELF file; of a GPU its shaders and steps; of a driver what it keeps
  std::vector<std::byte> plan; ///< arguments, results and kernels; empty for what a driver keeps
};

/// One entry of a cache directory, by the name of its file or the beginning of it that no other has. Throws
/// burn::Error: NotFound where none or several are named so, DataLoss where it is not sound, Io as cache_entries does.
BURN_API CacheEntryContents read_cache_entry(const std::string &directory, const std::string &file);

} // namespace burn

#endif // BURN_CACHE_H
