// Tuning from a program's first compile to its second process.
#include "runtime/Autotune/Winners.h"
#include "runtime/Compiler/Plans.h"

#include <burn/execution.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::runtime;

namespace {

constexpr const char *kProduct = R"(
func.func @main(%a: tensor<96x160xf32>, %b: tensor<160x200xf32>, %bias: tensor<200xf32>) -> tensor<96x200xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<96x160xf32>, tensor<160x200xf32> to tensor<96x200xf32>
  %w = burn.broadcast %bias {dims = array<i64: 1>} : tensor<200xf32> to tensor<96x200xf32>
  %s = burn.add %c, %w : tensor<96x200xf32>
  return %s : tensor<96x200xf32>
})";

/// Few results with long sums.
constexpr const char *kLongSums = R"(
func.func @main(%a: tensor<24x8192xf32>, %b: tensor<8192x32xf32>, %bias: tensor<32xf32>) -> tensor<24x32xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<24x8192xf32>, tensor<8192x32xf32> to tensor<24x32xf32>
  %w = burn.broadcast %bias {dims = array<i64: 1>} : tensor<32xf32> to tensor<24x32xf32>
  %s = burn.add %c, %w : tensor<24x32xf32>
  return %s : tensor<24x32xf32>
})";

/// Much work for few results.
constexpr const char *kLargeProduct = R"(
func.func @main(%a: tensor<128x1024xf32>, %b: tensor<1024x128xf32>, %bias: tensor<128xf32>) -> tensor<128x128xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<128x1024xf32>, tensor<1024x128xf32> to tensor<128x128xf32>
  %w = burn.broadcast %bias {dims = array<i64: 1>} : tensor<128xf32> to tensor<128x128xf32>
  %s = burn.add %c, %w : tensor<128x128xf32>
  return %s : tensor<128x128xf32>
})";

/// A weight that never changes, whose panels are packed once.
constexpr const char *kFrozenProduct = R"(
func.func @main(%a: tensor<96x256xf32>, %b: tensor<256x512xf32> {burn.frozen}, %bias: tensor<512xf32>)
    -> tensor<96x512xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<96x256xf32>, tensor<256x512xf32> to tensor<96x512xf32>
  %w = burn.broadcast %bias {dims = array<i64: 1>} : tensor<512xf32> to tensor<96x512xf32>
  %s = burn.add %c, %w : tensor<96x512xf32>
  return %s : tensor<96x512xf32>
})";

/// Operands of 4 MiB and a result of 16 MiB.
constexpr const char *kPages = R"(
func.func @main(%a: tensor<2048x512xf32>, %b: tensor<512x2048xf32>) -> tensor<2048x2048xf32> {
  %c = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<2048x512xf32>, tensor<512x2048xf32> to tensor<2048x2048xf32>
  return %c : tensor<2048x2048xf32>
})";

/// Channels last: a direct kernel.
constexpr const char *kConvolution = R"(
func.func @main(%x: tensor<4x14x14x32xf32>, %w: tensor<3x3x32x64xf32>) -> tensor<4x14x14x64xf32> {
  %y = burn.conv %x, %w {batch_groups = 1 : i64, feature_groups = 1 : i64, lhs_dilation = array<i64: 1, 1>,
      rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>,
      pad_high = array<i64: 1, 1>, lhs_dims = array<i64: 0, 3, 1, 2>, rhs_dims = array<i64: 3, 2, 0, 1>,
      out_dims = array<i64: 0, 3, 1, 2>} : tensor<4x14x14x32xf32>, tensor<3x3x32x64xf32> to tensor<4x14x14x64xf32>
  return %y : tensor<4x14x14x64xf32>
})";

/// What a process does to compile the product and run it once.
struct Run {
  TuningStats stats;
  int64_t compiled = 0;
  uint64_t kernels = 0, hostCalls = 0;
  uint64_t digest = 0; // of the results
  Stats shown;         // what the program may ask for
  double error = 0;    // of the product with its bias, over the bound n e sum|x|
};

/// The largest error of a [rows, steps] x [steps, lanes] + [lanes], as a part of its bound.
double errorOf(const float *a, const float *b, const float *bias, const float *result, int64_t rows, int64_t steps,
               int64_t lanes) {
  double worst = 0;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      double sum = bias[lane], magnitude = std::fabs(double(bias[lane]));
      for (int64_t step = 0; step < steps; ++step) {
        const double term = double(a[row * steps + step]) * double(b[step * lanes + lane]);
        sum += term;
        magnitude += std::fabs(term);
      }
      const double bound = double(steps + 1) * 0x1p-24 * magnitude;
      worst = std::max(worst, std::fabs(double(result[row * lanes + lane]) - sum) / bound);
    }
  return worst;
}

core::Expected<Run> compileAndRun(const char *mode, const char *program = kProduct, const char *deterministic = "1") {
  setenv("BURN_AUTOTUNE", mode, 1);
  setenv("BURN_DETERMINISTIC", deterministic, 1);
  const auto *source = reinterpret_cast<const std::byte *>(program);
  CompileSettings settings;
  core::Expected<PlanOptions> options = environmentOptions();
  unsetenv("BURN_DETERMINISTIC");
  if (!options)
    return options.status();
  settings.options = *options;
  core::Expected<PlanPointer> plan = planForMlir({source, std::strlen(program)}, "product.mlir", "", settings);
  if (!plan)
    return plan.status();
  std::vector<BufferRef> arguments;
  uint32_t state = 7;
  for (const core::PlanArg &arg : (*plan)->plan().args) {
    arguments.push_back(*Buffer::allocate(static_cast<size_t>(arg.type.byteSize())));
    auto *values = static_cast<float *>(arguments.back()->data());
    for (int64_t i = 0; i < arg.type.byteSize() / 4; ++i) {
      state = state * 1664525u + 1013904223u;
      values[i] = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
    }
  }
  BufferRef result;
  if (core::Status status = (*plan)->execute(arguments, nullptr, {&result, 1}); !status)
    return status;
  // Called as it is, on one thread, it gives the same.
  if ((*plan)->plan().derived.empty() && program != kPages) {
    const BufferRef again = *Buffer::allocate(result->bytes()),
                    arena = *Buffer::allocate((*plan)->plan().arenaBytes + 1);
    std::vector<void *> pointers;
    for (const BufferRef &argument : arguments)
      pointers.push_back(argument->data());
    pointers.push_back(again->data());
    if ((*plan)->call(true, pointers.data(), nullptr, arena->data()) != 0 ||
        std::memcmp(again->data(), result->data(), result->bytes()) != 0)
      return core::Status::invalid("a call gives another result than a run");
  }
  Run run;
  run.stats = tuningStats();
  run.shown = burn::stats();
  run.compiled = planCache().stats().plansCompiled;
  run.kernels = (*plan)->plan().kernels.size();
  run.hostCalls = (*plan)->plan().hostCalls.size();
  const auto &args = (*plan)->plan().args;
  const auto at = [](const BufferRef &buffer) { return static_cast<const float *>(buffer->data()); };
  if (args.size() == 3) // a product with a bias
    run.error = errorOf(at(arguments[0]), at(arguments[1]), at(arguments[2]), at(result), args[0].type.shape[0],
                        args[0].type.shape[1], args[1].type.shape[1]);
  const auto *words = static_cast<const uint32_t *>(result->data());
  for (size_t i = 0; i < result->bytes() / 4; ++i)
    run.digest = run.digest * 6364136223846793005u + words[i];
  return run;
}

// A library that stands for oneDNN (fixtures/onednn.c).
const std::string kOneDnn = BURN_BINARY_DIR "/test/unit/fixtures/libonednn.so";

/// The same in a process of its own, whose cache is `folder`; none where it fails.
std::optional<Run> inProcess(const std::string &folder, const char *mode, const char *program = kProduct,
                             const char *deterministic = "1", const std::string &oneDnn = "off") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    setenv("BURN_CACHE_DIR", folder.c_str(), 1);
    setenv("BURN_ONEDNN", oneDnn.c_str(), 1);
    if (program == kLargeProduct)
      setenv("BURN_NUM_THREADS", "1", 1); // what wins must not depend on who else has the processors
    const core::Expected<Run> run = compileAndRun(mode, program, deterministic);
    const bool sent = run && write(ends[1], &*run, sizeof *run) == sizeof *run;
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  Run run;
  const bool got = read(ends[0], &run, sizeof run) == sizeof run;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return got ? std::optional(run) : std::nullopt;
}

struct Folder {
  Folder() { REQUIRE(mkdtemp(path.data()) != nullptr); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path = (std::filesystem::temp_directory_path() / "burn-tuning-XXXXXX").string();
};

} // namespace

TEST_CASE("a program is measured once, and has the same bits in every mode") {
  const Folder folder;
  const std::optional<Run> off = inProcess(folder.path, "off"), first = inProcess(folder.path, "on"),
                           second = inProcess(folder.path, "on"), cached = inProcess(folder.path, "cached"),
                           offAgain = inProcess(folder.path, "off");
  REQUIRE((off && first && second && cached && offAgain));
  CHECK(off->stats.waysMeasured == 0);
  CHECK(first->stats.kernelsMeasured == 1);
  CHECK(first->stats.waysMeasured > 1);
  CHECK(first->stats.waysRejected == 0);
  CHECK(first->shown.kernels_tuned == 1);
  CHECK(first->shown.ways_measured == first->stats.waysMeasured);
  CHECK(first->shown.ways_rejected == 0);
  CHECK(first->shown.tuning_ms > 0);
  CHECK(first->shown.tuning_ms <= first->shown.compile_ms);
  CHECK(second->shown.tuning_ms == 0);
  // The plan is there, as it is for a process that only uses what was measured.
  for (const std::optional<Run> &run : {second, cached, offAgain}) {
    CHECK(run->stats.waysMeasured == 0);
    CHECK(run->compiled == 0);
  }
  for (const std::optional<Run> &run : {first, second, cached, offAgain})
    CHECK(run->digest == off->digest);
}

TEST_CASE("long sums of few results may be cut into slices where results need not be deterministic") {
  const Folder folder;
  const std::optional<Run> ordered = inProcess(folder.path, "on", kLongSums),
                           first = inProcess(folder.path, "on", kLongSums, "0"),
                           second = inProcess(folder.path, "on", kLongSums, "0");
  REQUIRE((ordered && first && second));
  CHECK(first->stats.kernelsMeasured == 1);
  CHECK(first->stats.waysRejected == 0);
  CHECK(second->stats.waysMeasured == 0);
  CHECK(second->digest == first->digest);
  // One kernel, as ever, and the winner of at most eight ways: where it has slices there is a kernel for their sum.
  CHECK(ordered->kernels == 1);
  CHECK(ordered->stats.waysMeasured <= 8);
  CHECK(first->stats.waysMeasured <= 8);
  CHECK(first->kernels <= 3);
  for (const std::optional<Run> &run : {ordered, first, second})
    CHECK(run->error < 1);
}

TEST_CASE("oneDNN computes products that it wins, and what it leaves is made without it") {
  const Folder folder;
  const std::optional<Run> first = inProcess(folder.path, "on", kLargeProduct, "0", kOneDnn),
                           second = inProcess(folder.path, "cached", kLargeProduct, "0", kOneDnn);
  REQUIRE((first && second));
  CHECK(first->stats.waysRejected == 0);
  CHECK(first->hostCalls == 1);
  CHECK(first->error < 1);
  // The plan is there, and calls the same library.
  CHECK(second->compiled == 0);
  CHECK(second->hostCalls == 1);
  CHECK(second->digest == first->digest);

  // Without the library, or with another version, the plan is compiled anew, and the winner does not fit.
  const std::optional<Run> without = inProcess(folder.path, "cached", kLargeProduct, "0", "off");
  REQUIRE(without);
  CHECK(without->compiled == 1);
  CHECK(without->hostCalls == 0);
  CHECK(without->stats.winnersUnfit == 1);
  CHECK(without->shown.winners_unfit == 1);
  CHECK(without->stats.winnersUsed == 0);
  CHECK(without->error < 1);
  // That plan is then what serves, and a measurement finds another winner.
  const std::optional<Run> again = inProcess(folder.path, "on", kLargeProduct, "0", "off");
  REQUIRE(again);
  CHECK(again->hostCalls == 0);
}

TEST_CASE("frozen products and direct convolutions are measured, and keep their bits") {
  for (const char *program : {kFrozenProduct, kConvolution}) {
    const Folder folder;
    const std::optional<Run> off = inProcess(folder.path, "off", program), on = inProcess(folder.path, "on", program),
                             again = inProcess(folder.path, "on", program);
    REQUIRE((off && on && again));
    CHECK(on->stats.kernelsMeasured == 1);
    CHECK(on->stats.waysMeasured > 1);
    CHECK(on->stats.waysMeasured <= 8);
    CHECK(on->stats.waysRejected == 0);
    CHECK(again->stats.waysMeasured == 0);
    CHECK(on->digest == off->digest);
    CHECK(again->digest == off->digest);
    CHECK(off->error < 1);
  }
}

TEST_CASE("a kernel for whose scratch data there is no memory is made in the usual way") {
  const Folder folder;
  const std::optional<Run> off = inProcess(folder.path, "off", kPages);
  setenv("BURN_MEMORY_LIMIT", "48M", 1); // a run takes 40 MiB with its scratch memory, to be measured 16 more
  const std::optional<Run> on = inProcess(folder.path, "on", kPages);
  unsetenv("BURN_MEMORY_LIMIT");
  REQUIRE((off && on));
  CHECK(on->stats.kernelsMeasured == 0);
  CHECK(on->stats.waysMeasured == 0);
  CHECK(on->digest == off->digest);
  const std::optional<Run> roomy = inProcess(Folder().path, "on", kPages);
  REQUIRE(roomy);
  CHECK(roomy->stats.kernelsMeasured == 1);
}

TEST_CASE("oneDNN competes nowhere where results are deterministic") {
  const Folder folder;
  const std::optional<Run> run = inProcess(folder.path, "on", kLargeProduct, "1", kOneDnn);
  REQUIRE(run);
  CHECK(run->hostCalls == 0);
  CHECK(run->stats.waysRejected == 0);
}

TEST_CASE("a library that computes a product wrongly never wins") {
  const Folder folder;
  setenv("BURN_TEST_ONEDNN", "wrong", 1);
  const std::optional<Run> run = inProcess(folder.path, "on", kLargeProduct, "0", kOneDnn);
  unsetenv("BURN_TEST_ONEDNN");
  REQUIRE(run);
  CHECK(run->stats.waysRejected == 1);
  CHECK(run->hostCalls == 0);
  CHECK(run->error < 1);
}

TEST_CASE("winners serve a program whose plan is gone") {
  const Folder folder;
  REQUIRE(inProcess(folder.path, "on"));
  // Plans are the large entries.
  for (const auto &entry : std::filesystem::directory_iterator(folder.path))
    if (entry.is_regular_file() && entry.file_size() > 2048)
      std::filesystem::remove(entry);
  for (const char *mode : {"cached", "on"}) {
    const std::optional<Run> run = inProcess(folder.path, mode);
    REQUIRE(run);
    CHECK(run->compiled == 1);
    CHECK(run->stats.winnersUsed == 1);
    CHECK(run->stats.waysMeasured == 0);
  }
}

TEST_CASE("an unknown word in BURN_AUTOTUNE is an error of the program") {
  const char *before = std::getenv("BURN_AUTOTUNE");
  const std::string kept = before ? before : "";
  const core::Expected<Run> run = compileAndRun("maybe");
  setenv("BURN_AUTOTUNE", kept.c_str(), 1);
  REQUIRE(!run);
  CHECK(run.status().message() == "BURN_AUTOTUNE: expected off, cached, on or full, got 'maybe'");
}
