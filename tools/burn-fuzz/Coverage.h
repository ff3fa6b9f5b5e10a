// What a run of the fuzzer has seen.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace burn::fuzz {

/// A program that the oracle objects to.
struct Finding {
  uint64_t index = 0;
  std::string failure;
  /// A part of the program that still fails, as a file; empty where it was not reduced.
  std::string program;
};

/// The forms of kernel that the fuzzer tells apart.
llvm::ArrayRef<llvm::StringRef> kernelKinds();

/// The names of the burn ops in a module, without "burn.".
std::set<std::string> opsIn(mlir::ModuleOp module);
/// The kinds of the kernels in a module after burn-fuse.
std::set<std::string> kernelKindsIn(mlir::ModuleOp module);

struct Coverage {
  /// Programs on which interpreter, unfused and fused build agreed; how many of them went through every check; and
  /// smooth programs whose gradient was compared with differences.
  int64_t programs = 0, thorough = 0, gradients = 0;
  /// In how many of the programs an op or a kind of kernel occurs.
  std::map<std::string, int64_t> ops, kinds;
  /// Programs that a device or the compiler for it refused, by reason.
  std::map<std::string, int64_t> refusals;
  std::vector<Finding> findings;

  int64_t refused() const;
  /// A program on which all agreed.
  void count(const std::set<std::string> &opsInside, const std::set<std::string> &kindsInside);
  void add(const Coverage &other);
  llvm::json::Value toJson() const;
  static Coverage fromJson(const llvm::json::Object &json);

  /// A line for every op of the table below `ops` programs and every kind of kernel below `kinds`.
  std::vector<std::string> missing(int64_t ops, int64_t kinds) const;
};

} // namespace burn::fuzz
