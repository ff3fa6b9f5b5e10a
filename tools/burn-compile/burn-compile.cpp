// burn-compile: a function of a .mlir file to an object file and a C header.
#include "tools/burn-compile/Header.h"

#include "passes/Targets/Cpu/LinkSharedObject.h"
#include "runtime/Core/GpuPlan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace burn;
using namespace burn::compiler;

namespace {

llvm::cl::OptionCategory category("burn-compile options");
llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::Required, llvm::cl::desc("FILE.mlir"),
                                 llvm::cl::cat(category));
llvm::cl::opt<std::string> output("o", llvm::cl::Required, llvm::cl::value_desc("file"),
                                  llvm::cl::desc("Object file to write"), llvm::cl::cat(category));
llvm::cl::opt<std::string> header("header", llvm::cl::value_desc("file"), llvm::cl::desc("C header to write"),
                                  llvm::cl::cat(category));
llvm::cl::opt<std::string> entry("entry", llvm::cl::value_desc("function"),
                                 llvm::cl::desc("Function to compile; default: main, or the only one"),
                                 llvm::cl::cat(category));
llvm::cl::opt<std::string> symbol("symbol", llvm::cl::value_desc("name"),
                                  llvm::cl::desc("Name of the C function; default: the name of the object file"),
                                  llvm::cl::cat(category));
llvm::cl::opt<std::string> triple("triple", llvm::cl::init(CpuTarget().triple), llvm::cl::desc("LLVM target triple"),
                                  llvm::cl::cat(category));
llvm::cl::opt<std::string> target("target", llvm::cl::value_desc("kind"), llvm::cl::init("cpu"),
                                  llvm::cl::desc("cpu, or vulkan for the plan and the SPIR-V of a GPU"),
                                  llvm::cl::cat(category));
llvm::cl::opt<std::string>
    cpu("cpu", llvm::cl::value_desc("name"),
        llvm::cl::desc("LLVM CPU name, such as sapphirerapids; default: x86-64-v3, and generic "
                       "for a triple of another architecture. Several, separated by commas, from "
                       "the least to the best, make an object that takes the last of them that "
                       "the processor can run"),
        llvm::cl::cat(category));
llvm::cl::opt<std::string> features("features", llvm::cl::value_desc("list"),
                                    llvm::cl::desc("LLVM features, such as +avx512f; for a GPU what it has, such as "
                                                   "float64,int64,bindings=32; for SVE its width as well, such as "
                                                   "+sve,sve-bits=256"),
                                    llvm::cl::cat(category));
llvm::cl::opt<bool> fastMath("fast-math",
                             llvm::cl::desc("Convolutions may take fewer operations, at a larger error (Winograd)"),
                             llvm::cl::cat(category));
llvm::cl::opt<bool>
    manyThreads("many-threads",
                llvm::cl::desc("Kernels are cut into pieces for more than four threads; the same results"),
                llvm::cl::cat(category));
llvm::cl::opt<bool> noFusion("no-fusion", llvm::cl::desc("One kernel per op; the same results"),
                             llvm::cl::cat(category));

int fail(const llvm::Twine &message) {
  llvm::errs() << "burn-compile: " << message << "\n";
  return 1;
}

// Whole or not at all: a file of that name is either as before or complete. Pipes and devices are written to; a file in
// their place would take them away.
std::error_code writeWhole(llvm::StringRef path, llvm::StringRef contents) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) && llvm::sys::fs::is_other(status)) {
    std::error_code error;
    llvm::raw_fd_ostream file(path, error, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::FA_Write,
                              llvm::sys::fs::OF_None);
    if (error)
      return error;
    file << contents;
    file.close();
    error = file.error();
    file.clear_error();
    return error;
  }
  llvm::SmallString<128> temporary;
  int fd = -1;
  if (auto error = llvm::sys::fs::createUniqueFile(path + ".%%%%%%", fd, temporary))
    return error;
  llvm::raw_fd_ostream file(fd, /*shouldClose=*/true);
  file << contents;
  file.close();
  std::error_code error = file.error();
  file.clear_error();
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (error)
    llvm::sys::fs::remove(temporary);
  return error;
}

/// Whether a C header can declare a function of that name.
bool isNameOfC(llvm::StringRef name) {
  static const llvm::StringSet<> words = {"auto",    "break",  "case",   "char",     "const",    "continue", "default",
                                          "do",      "double", "else",   "enum",     "extern",   "float",    "for",
                                          "goto",    "if",     "inline", "int",      "long",     "register", "restrict",
                                          "return",  "short",  "signed", "sizeof",   "static",   "struct",   "switch",
                                          "typedef", "union",  "void",   "unsigned", "volatile", "while"};
  const auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !name.empty() && !llvm::isDigit(name.front()) && llvm::all_of(name, isPart) && !words.contains(name);
}

/// Whether two paths name one file, which one of them may not have yet.
bool isOneFile(llvm::StringRef one, llvm::StringRef other) {
  bool equal = false;
  return one == other || (!llvm::sys::fs::equivalent(one, other, equal) && equal);
}

// The GPU plan, the plan of arguments and results beside it, and each module of SPIR-V.
int writeGpuFiles(const Executable &executable) {
  const llvm::StringRef object(executable.object.data(), executable.object.size());
  const std::vector<std::byte> plan = core::serialize(executable.plan);
  std::vector<std::pair<std::string, llvm::StringRef>> files = {
      {output, object}, {output + ".plan", {reinterpret_cast<const char *>(plan.data()), plan.size()}}};
  auto gpuPlan = core::parseGpuPlan({reinterpret_cast<const std::byte *>(object.data()), object.size()});
  if (!gpuPlan)
    return fail(gpuPlan.status().message());
  for (const core::GpuKernel &kernel : gpuPlan->kernels) {
    const std::vector<uint32_t> &words = gpuPlan->modules[kernel.module].words;
    files.push_back({output + "." + kernel.entry + ".spv",
                     {reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uint32_t)}});
  }
  for (const auto &[path, contents] : files)
    if (auto error = writeWhole(path, contents))
      return fail("cannot write " + path + ": " + error.message());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a function of burn IR ahead of time.\n\n"
      "The object has one entry point over buffers and scratch memory that the caller provides, and\n"
      "needs nothing but libc and libm. The header declares it and lists what it expects. Where arguments\n"
      "are marked burn.frozen, a second entry point prepares what is computed from these alone, once.\n");

  llvm::sys::fs::file_status status;
  const auto isDevice = [&](llvm::StringRef path) {
    return !llvm::sys::fs::status(path, status) && llvm::sys::fs::is_other(status);
  };
  for (const std::string &path : {output.getValue(), header.getValue()})
    if (!path.empty() && isOneFile(path, input) && !isDevice(path))
      return fail("'" + path + "' is the program that is compiled");
  if (!header.empty() && isOneFile(header, output) && !isDevice(output))
    return fail("object and header are one file, '" + output + "'");
  auto file = llvm::MemoryBuffer::getFile(input);
  if (!file)
    return fail(llvm::StringRef(input) + ": " + file.getError().message());
  auto context = makeContext();
  auto module = parseProgram(*context, (*file)->getBuffer(), input, entry);
  if (!module)
    return fail(module.status().message());

  std::string name = symbol;
  if (name.empty())
    for (char c : llvm::sys::path::stem(output))
      name += llvm::isAlnum(c) ? c : '_';
  if (symbol.empty() && !isNameOfC(name))
    name.insert(0, "_");
  if (!isNameOfC(name))
    return fail("--symbol: '" + name + "' is no name of a function in C");
  CompileOptions options;
  std::vector<CpuTarget> targets;
  if (target != "cpu" && target != "vulkan")
    return fail("unknown target '" + target + "'; targets are cpu and vulkan");
  if (target == "vulkan") {
    auto gpu = core::GpuTarget::parse(features);
    if (!gpu)
      return fail(gpu.status().message());
    options.gpu = *gpu;
  } else {
    const bool isX86 = llvm::Triple(llvm::Triple::normalize(triple)).isX86();
    std::string allFeatures = features;
    // Tile registers need a permission of the system that an object without a runtime does not ask for: only where
    // they were asked for by name.
    if (isX86 && llvm::Triple(llvm::Triple::normalize(triple)).isArch64Bit() &&
        !llvm::StringRef(features).contains("+amx"))
      allFeatures += allFeatures.empty() ? "-amx-tile" : ",-amx-tile";
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(cpu).split(names, ',');
    for (llvm::StringRef each : names) {
      if (each.empty() && names.size() > 1)
        return fail("--cpu: an empty name in '" + cpu + "'");
      if (llvm::count(names, each) > 1)
        return fail("--cpu: '" + each + "' stands there twice");
      targets.push_back({triple, !each.empty() ? each.str() : isX86 ? CpuTarget().cpu : "generic", allFeatures});
    }
    options.target = targets.front();
  }
  options.fusion = !noFusion;
  options.fastMath = fastMath;
  options.manyThreads = manyThreads;
  options.relocatable = true;
  options.validate = true;
  options.entry = name + "_run";
  options.prepareEntry = name + "_prepare";
  options.name = name;
  // Each version is lowered from a copy of its own.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> copies;
  std::vector<mlir::ModuleOp> modules = {**module};
  for (size_t i = 1; i < targets.size(); ++i)
    modules.push_back(*copies.emplace_back((*module)->clone()));
  auto executable = targets.size() > 1 ? compileVersions(modules, targets, options) : compile(**module, options);
  if (!executable)
    return fail(executable.status().message());

  if (options.gpu)
    return writeGpuFiles(*executable);

  const llvm::StringRef object(executable->object.data(), executable->object.size());
  auto undefined = undefinedSymbols(executable->object);
  if (!undefined)
    return fail(llvm::toString(undefined.takeError()));
  if (auto error = writeWhole(output, object))
    return fail("cannot write " + output + ": " + error.message());
  if (!header.empty())
    if (auto error = writeWhole(header, makeHeader(executable->plan, name, *undefined)))
      return fail("cannot write " + header + ": " + error.message());
  return 0;
}
