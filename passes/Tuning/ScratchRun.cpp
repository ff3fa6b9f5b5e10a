#include "passes/Tuning/ScratchRun.h"

#include "runtime/Core/HostMemory.h"

#include <cfenv>
#include <chrono>
#include <cstring>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace burn;
using namespace burn::compiler;
using core::ErrorCode;
using core::Expected;
using core::Status;

namespace {

/// Measured code runs in the float environment that plans run in, whatever the caller has set.
class PlanFloats {
public:
  PlanFloats() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~PlanFloats() { std::fesetenv(&before_); }

private:
  std::fenv_t before_;
};

void put(std::byte *to, DType type, uint32_t random) {
  const auto store = [&](auto value) { std::memcpy(to, &value, sizeof value); };
  const float unit = static_cast<float>(random >> 8) * 0x1p-23f - 1.0f;
  switch (type) {
  case DType::F64:
    return store(double(unit));
  case DType::F32:
    return store(unit);
  case DType::F16:
    return store(f16(unit));
  case DType::BF16:
    return store(bf16(unit));
  case DType::Bool:
    return store(uint8_t(random >> 31));
  default: { // little-endian integers
    const uint64_t value = random >> 29;
    std::memcpy(to, &value, byteWidth(type));
  }
  }
}

} // namespace

Expected<std::unique_ptr<MeasuredWay>> MeasuredWay::load(const Executable &executable) {
  const Status failed = Status::error(ErrorCode::Unavailable, "code that is to be measured cannot be loaded");
  std::unique_ptr<MeasuredWay> way(new MeasuredWay);
  way->plan_ = executable.plan;
  way->file_ = memfd_create("burn-measured", MFD_CLOEXEC);
  if (way->file_ < 0)
    return failed;
  for (size_t done = 0; done < executable.object.size();) {
    const ssize_t written = write(way->file_, executable.object.data() + done, executable.object.size() - done);
    if (written <= 0)
      return failed;
    done += static_cast<size_t>(written);
  }
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(way->file_);
  way->handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (way->handle_)
    way->run_ = reinterpret_cast<burn_run_fn>(dlsym(way->handle_, BURN_RUN_SYMBOL));
  if (!way->run_)
    return failed;
  return way;
}

MeasuredWay::~MeasuredWay() {
  if (handle_)
    dlclose(handle_);
  if (file_ >= 0)
    close(file_);
}

ScratchData::Block ScratchData::allocate(size_t bytes) {
  constexpr size_t page = 4096;
  const size_t whole = std::max(page, (bytes + page - 1) / page * page);
  Block block{std::unique_ptr<std::byte, Free>(static_cast<std::byte *>(std::aligned_alloc(page, whole))), bytes};
  if (block.memory)
    std::memset(block.memory.get(), 0, whole); // no page is met for the first time while the clock runs
  return block;
}

std::unique_ptr<ScratchData> ScratchData::make(const core::Plan &plan, const burn_rt &functions) {
  // Results are there twice. Memory that is met but not there would end the process.
  __int128 bytes = plan.arenaBytes;
  for (const core::PlanArg &arg : plan.args)
    bytes += arg.type.byteSize();
  for (const core::PlanResult &result : plan.results)
    bytes += 2 * static_cast<__int128>(result.type.byteSize());
  if (!core::checkHostMemory(bytes))
    return nullptr;
  auto data = std::make_unique<ScratchData>();
  data->functions_ = &functions;
  uint32_t state = 1;
  for (const core::PlanArg &arg : plan.args) {
    if (arg.kind != core::ArgKind::Buffer || arg.donated)
      return nullptr;
    Block block = allocate(static_cast<size_t>(arg.type.byteSize()));
    if (!block.memory)
      return nullptr;
    const size_t size = byteWidth(arg.type.dtype);
    for (size_t at = 0; at + size <= block.bytes; at += size) {
      state = state * 1664525u + 1013904223u;
      put(block.memory.get() + at, arg.type.dtype, state);
    }
    data->buffers_.push_back(block.memory.get());
    data->arguments_.push_back(std::move(block));
  }
  for (const core::PlanResult &result : plan.results) {
    if (result.source != core::ResultSource::Fresh)
      return nullptr;
    for (std::vector<Block> *blocks : {&data->results_, &data->kept_}) {
      blocks->push_back(allocate(static_cast<size_t>(result.type.byteSize())));
      if (!blocks->back().memory)
        return nullptr;
    }
    data->buffers_.push_back(data->results_.back().memory.get());
  }
  return data;
}

bool ScratchData::prepare(const MeasuredWay &way) {
  if (arena_.bytes < way.plan().arenaBytes || !arena_.memory)
    arena_ = allocate(way.plan().arenaBytes);
  return arena_.memory && way.plan().args.size() == arguments_.size() && way.plan().results.size() == results_.size();
}

bool ScratchData::call(const MeasuredWay &way) {
  return way.run()(functions_, buffers_.data(), nullptr, nullptr, arena_.memory.get()) == 0;
}

bool ScratchData::run(const MeasuredWay &way) {
  const PlanFloats floats;
  // What a way does not write must not be what the one before has left.
  for (Block &result : results_)
    std::memset(result.memory.get(), 0xff, result.bytes);
  return prepare(way) && call(way);
}

bool ScratchData::keepResults(const MeasuredWay &way) {
  if (!run(way))
    return false;
  for (auto [result, kept] : llvm::zip_equal(results_, kept_))
    std::memcpy(kept.memory.get(), result.memory.get(), result.bytes);
  return true;
}

bool ScratchData::givesKeptResults(const MeasuredWay &way) {
  if (!run(way))
    return false;
  for (auto [result, kept] : llvm::zip_equal(results_, kept_))
    if (std::memcmp(kept.memory.get(), result.memory.get(), result.bytes) != 0)
      return false;
  return true;
}

double ScratchData::time(const MeasuredWay &way) {
  using Clock = std::chrono::steady_clock;
  constexpr double shortest = 40e-6;
  const PlanFloats floats;
  double spent = 0;
  int runs = 0;
  const auto start = Clock::now();
  do {
    call(way);
    ++runs;
    spent = std::chrono::duration<double>(Clock::now() - start).count();
  } while (spent < shortest);
  return spent / runs;
}
