// burn-fuzz: random programs against the oracle.
#include "passes/Pipelines/Compile.h"
#include "tools/burn-fuzz/DeviceOracle.h"
#include "tools/burn-fuzz/Generator.h"
#include "tools/burn-fuzz/Oracle.h"
#include "tools/burn-fuzz/Reduce.h"
#include "tools/burn-fuzz/Workers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cstdio>

using namespace burn;
using namespace burn::fuzz;
namespace cl = llvm::cl;

namespace {

cl::OptionCategory category("Options of burn-fuzz");
cl::list<std::string> files(cl::Positional, cl::desc("[FILE.mlir ...]"), cl::cat(category));
cl::opt<uint64_t> seedOption("seed", cl::desc("Seed of the programs (1)"), cl::init(1), cl::cat(category));
cl::opt<uint64_t> first("first", cl::desc("Number of the first program (0)"), cl::init(0), cl::cat(category));
cl::opt<uint64_t> count("count", cl::desc("How many programs (1000)"), cl::init(1000), cl::cat(category));
cl::opt<double> seconds("seconds", cl::desc("Begin no program later than this"), cl::init(0), cl::cat(category));
cl::opt<uint64_t> thoroughEvery("thorough-every", cl::desc("One of so many programs goes through all checks (20)"),
                                cl::init(20), cl::cat(category));
cl::opt<unsigned> jobs("jobs", cl::desc("Processes that work at a time (1)"), cl::init(1), cl::cat(category));
cl::opt<std::string> deviceOption("device",
                                  cl::desc("Run the programs on a GPU, such as vulkan:0, and compare its results"),
                                  cl::init("cpu"), cl::cat(category));
cl::opt<std::string> json("json", cl::desc("Write coverage and findings to this file"), cl::cat(category));
cl::list<int64_t> require("require-coverage", cl::CommaSeparated, cl::cat(category), cl::value_desc("OPS,KINDS"),
                          cl::desc("Fail where an op is in fewer than OPS programs, or a kind of kernel in fewer than "
                                   "KINDS"));
cl::opt<std::string> keep("keep", cl::desc("Write the reduced programs to this folder"), cl::cat(category));
cl::opt<unsigned> reductions("reductions", cl::desc("How many findings are reduced (8)"), cl::init(8),
                             cl::cat(category));
cl::opt<bool> stop("stop", cl::desc("End at the first finding"), cl::cat(category));
cl::opt<bool> print("print", cl::desc("Print the programs instead of running them"), cl::cat(category));
cl::opt<bool> reduce("reduce", cl::desc("Reduce the programs of the files that fail"), cl::cat(category));

// The linker in the process resets all options to their defaults, so what is read after a link is kept beside them.
uint64_t seed = 1;
// How often a program goes through all checks, and a smooth one is compared with differences.
uint64_t every = 20;
std::string deviceName = "cpu";

constexpr unsigned kSecondsEach = 120;

bool isOnHost(uint64_t index) { return index % 2 == 0; }
// One of every so many, each time at another place, so that no kind of program is always or never it.
bool isThorough(uint64_t index) { return (index / every + index) % every == 0; }
Program makeSmooth(mlir::MLIRContext &context, uint64_t index) {
  return makeSmoothProgram(context, seed, index / every);
}

// On the device of this process. That is a child of the one that reads the options: drivers do not survive a fork.
std::string checkOnDevice(const Program &program, Coverage *coverage) {
  static const auto opened = [] {
    (void)!std::freopen("/dev/null", "w", stdout); // where programs print
    return GuardedDevice::open(deviceName);
  }();
  return opened ? findFailureOnDevice(program, **opened, coverage) : "device: " + opened.status().message();
}

llvm::json::Value checkNumber(mlir::MLIRContext &context, uint64_t index) {
  Coverage coverage;
  if (deviceName != "cpu") {
    const std::string failure = checkOnDevice(makeProgram(context, seed, index), &coverage);
    if (!failure.empty())
      coverage.findings.push_back({index, failure, ""});
    return coverage.toJson();
  }
  const Program program = makeProgram(context, seed, index);
  std::string failure = findFailure(program, {isOnHost(index), isThorough(index), &coverage});
  if (failure.empty() && isThorough(index)) {
    bool compared = false;
    failure = findWrongGradient(makeSmooth(context, index), index, compared);
    coverage.gradients += compared;
  }
  if (!failure.empty()) {
    coverage = {};
    coverage.findings.push_back({index, failure, ""});
  }
  return coverage.toJson();
}

// A part of a program that fails as the whole does, as a file that says how.
std::string reduced(const Program &program, llvm::StringRef failure,
                    llvm::function_ref<std::string(const Program &)> check, llvm::StringRef origin) {
  std::string last = failure.str();
  const Program part = reduceProgram(program, [&](const Program &candidate) {
    const std::string found = inChild([&] { return check(candidate); }, kSecondsEach);
    if (checkOf(found) != checkOf(failure))
      return false;
    last = found;
    return true;
  });
  std::string text = "// RUN: burn-fuzz " + (deviceName == "cpu" ? "" : "--device " + deviceName + " ") + "%s\n// " +
                     origin.str() + "\n";
  for (llvm::StringRef line : llvm::split(last, '\n'))
    text += ("// " + line.take_front(300) + "\n").str();
  return text + writeProgram(part);
}

std::string reduceNumber(uint64_t index, llvm::StringRef failure) {
  const bool isGradient = failure.starts_with("gradient:");
  auto context = compiler::makeContext();
  const Program program = isGradient ? makeSmooth(*context, index) : makeProgram(*context, seed, index);
  const std::string origin = "seed " + std::to_string(seed) + ", program " + std::to_string(index) + ", on " +
                             (deviceName != "cpu" ? deviceName
                              : isOnHost(index)   ? "the host"
                                                  : "x86-64-v3");
  if (!isGradient && !compiler::expandGradients(*program.module))
    return "// " + origin + "\n" + writeProgram(makeProgram(*context, seed, index));
  return reduced(
      program, failure,
      [&](const Program &candidate) {
        if (deviceName != "cpu")
          return checkOnDevice(candidate, nullptr);
        bool compared;
        return isGradient ? findWrongGradient(candidate, index, compared)
                          : findFailure(candidate, {isOnHost(index), isThorough(index), nullptr});
      },
      origin);
}

// Writes a text to a file; says why where that fails.
bool writeFile(llvm::StringRef path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) {
    file << text;
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error)
    llvm::errs() << "burn-fuzz: cannot write " << path << ": " << error.message() << "\n";
  return !error;
}

void reduceFindings(Coverage &coverage) {
  for (size_t i = 0; i < coverage.findings.size() && i < reductions; ++i) {
    Finding &finding = coverage.findings[i];
    // A reduction runs the compiler in children of a child, and what it makes in between may crash too.
    finding.program = inChild([&] { return reduceNumber(finding.index, finding.failure); }, 3600);
    llvm::outs() << finding.program;
    if (!keep.empty()) {
      llvm::sys::fs::create_directories(keep);
      writeFile(keep + "/seed-" + std::to_string(seed) + "-program-" + std::to_string(finding.index) + ".mlir",
                finding.program);
    }
  }
}

bool fuzzPrograms() {
  const auto begin = std::chrono::steady_clock::now();
  WorkOptions work;
  work.first = first;
  work.count = count;
  work.jobs = std::max(1u, jobs.getValue());
  work.seconds = seconds;
  work.secondsEach = kSecondsEach;
  Coverage coverage;
  work.enough = [&] { return stop && !coverage.findings.empty(); };
  const auto report = [&](uint64_t index, llvm::StringRef failure) {
    llvm::outs() << "program " << index << " of seed " << seed << ": " << failure << "\n";
    llvm::outs().flush();
  };
  const uint64_t run = runInWorkers(
      work,
      [] {
        std::shared_ptr<mlir::MLIRContext> context = compiler::makeContext();
        return [context](uint64_t index) { return checkNumber(*context, index); };
      },
      [&](uint64_t, const llvm::json::Value &value) {
        if (const llvm::json::Object *object = value.getAsObject()) {
          const Coverage one = Coverage::fromJson(*object);
          for (const Finding &finding : one.findings)
            report(finding.index, finding.failure);
          coverage.add(one);
        }
      },
      [&](uint64_t index, const std::string &how) {
        report(index, "crash: " + how);
        coverage.findings.push_back({index, "crash: " + how, ""});
      });
  const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  reduceFindings(coverage);

  std::vector<std::string> missing;
  if (!require.empty())
    missing = coverage.missing(require[0], require.size() > 1 ? require[1] : 0);
  for (const std::string &line : missing)
    llvm::outs() << "too few: " << line << "\n";
  for (const auto &[reason, number] : coverage.refusals)
    llvm::outs() << "unsupported on " << deviceName << ", " << number << " programs: " << reason << "\n";
  if (deviceName != "cpu")
    llvm::outs() << coverage.ops.size() << " of " << Coverage().missing(1, 0).size() << " ops and "
                 << coverage.kinds.size() << " of " << kernelKinds().size() << " kinds of kernel ran on " << deviceName
                 << ", " << coverage.refused() << " programs are unsupported\n";
  llvm::outs() << run << " programs (seed " << seed << ", from " << first << ") in " << llvm::format("%.1f", taken)
               << " s: " << coverage.programs << " agreed, " << coverage.thorough << " of them in all checks, "
               << coverage.gradients << " gradients; " << coverage.findings.size() << " mismatches\n";
  bool written = true;
  if (!json.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", coverage.toJson()) << "\n";
    written = writeFile(json, text);
  }
  return coverage.findings.empty() && missing.empty() && written && run > 0;
}

// A file: the program in it on both targets, and the gradient where it is smooth.
std::string checkFile(const Program &program) {
  if (deviceName != "cpu") {
    Coverage coverage;
    if (std::string failure = checkOnDevice(program.clone(), &coverage); !failure.empty())
      return failure;
    return coverage.refusals.empty() ? "" : "unsupported: " + coverage.refusals.begin()->first;
  }
  for (bool onHost : {false, true})
    if (std::string failure = findFailure(program.clone(), {onHost, /*thorough=*/true, nullptr}); !failure.empty())
      return failure;
  return "";
}

bool runFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    llvm::errs() << "burn-fuzz: cannot read " << path << ": " << buffer.getError().message() << "\n";
    return false;
  }
  auto context = compiler::makeContext();
  core::Expected<Program> program = readProgram(*context, (*buffer)->getBuffer(), path);
  if (!program) {
    llvm::errs() << "burn-fuzz: " << program.status().message() << "\n";
    return false;
  }
  const std::string failure = inChild([&] { return checkFile(*program); }, 4 * kSecondsEach);
  if (failure.empty()) {
    llvm::outs() << path << ": agrees\n";
    return true;
  }
  llvm::outs() << path << ": " << failure << "\n";
  if (reduce)
    llvm::outs() << reduced(*program, failure, checkFile, "from " + llvm::sys::path::filename(path).str());
  return false;
}

void printPrograms() {
  for (uint64_t index = first; index < first + count; ++index) {
    auto context = compiler::makeContext();
    llvm::outs() << "// seed " << seed << ", program " << index << "\n"
                 << writeProgram(makeProgram(*context, seed, index));
  }
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "burn-fuzz: compiles random programs and compares what they compute.\n\n"
      "  burn-fuzz --count N --jobs J    N random programs; each must give the bits of its unfused build, whose ops\n"
      "                                  must agree with the interpreter. Findings are reduced and printed.\n"
      "  burn-fuzz --print --first I --count 1\n"
      "                                  the program itself\n"
      "  burn-fuzz FILE.mlir ...         the programs of files, with the arguments in their burn.value attributes\n"
      "  burn-fuzz --reduce FILE.mlir    a smaller program that fails like that of the file\n"
      "  burn-fuzz --device vulkan       on a GPU: the ops of the unfused build agree with the interpreter, the fused "
      "one\n"
      "                                  has its bits. What the GPU cannot run is counted, with its reason.\n\n"
      "Exit code 1: a mismatch, or less coverage than --require-coverage asks for.\n");
  seed = seedOption;
  every = std::max<uint64_t>(1, thoroughEvery);
  deviceName = deviceOption;
  if (deviceName != "cpu")
    if (const std::string problem = inChild(
            [] {
              const auto opened = GuardedDevice::open(deviceName);
              return opened ? std::string() : opened.status().message();
            },
            kSecondsEach);
        !problem.empty()) {
      llvm::errs() << "burn-fuzz: " << problem << "\n";
      return 1;
    }
  if (!files.empty())
    return llvm::count_if(files, [](const std::string &path) { return !runFile(path); }) != 0;
  if (print) {
    printPrograms();
    return 0;
  }
  return fuzzPrograms() ? 0 : 1;
}
