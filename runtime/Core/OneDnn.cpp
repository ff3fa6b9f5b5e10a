#include "runtime/Core/OneDnn.h"

#include "runtime/Core/Environment.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <dlfcn.h>

namespace burn::core {
namespace {

constexpr std::string_view kPrefix = "onednn:";
constexpr const char *kVariable = "BURN_ONEDNN";

// As dnnl_version_t of both versions begins.
struct VersionInfo {
  int major, minor, patch;
  const char *hash;
  unsigned cpuRuntime;
};
constexpr unsigned kSequential = 1, kOpenMp = 2;

int64_t OneDnnProduct::*const kFields[] = {
    &OneDnnProduct::batch,       &OneDnnProduct::rows,        &OneDnnProduct::lanes,   &OneDnnProduct::steps,
    &OneDnnProduct::transposesA, &OneDnnProduct::transposesB, &OneDnnProduct::pitchA,  &OneDnnProduct::pitchB,
    &OneDnnProduct::pitchC,      &OneDnnProduct::strideA,     &OneDnnProduct::strideB, &OneDnnProduct::strideC,
    &OneDnnProduct::tasks};

using Sgemm = int(char, char, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float,
                  float *, int64_t);

/// An error, formatted as by printf: strings put together take ten times the code, in a library that is kept small.
[[gnu::format(printf, 2, 3)]] Status error(ErrorCode code, const char *format, ...) {
  char text[512];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return Status::error(code, text);
}

Status malformed() { return error(ErrorCode::DataLoss, "malformed call of oneDNN"); }

Expected<OneDnnLibrary> openForPrograms() {
  const char *path = secure_getenv(kVariable);
  if (!path || !*path)
    return OneDnnLibrary::openInstalled();
  if (std::string_view(path) == "off")
    return error(ErrorCode::Unavailable, "BURN_ONEDNN is off");
  Expected<OneDnnLibrary> library = OneDnnLibrary::open(path);
  if (!library)
    reportIgnored(kVariable, path, "'off' or the path of oneDNN of version 2 or 3");
  return library;
}

/// One call of the kernel in pieces.
struct Run {
  OneDnnProduct product;
  const float *a, *b;
  float *c;
  Sgemm *sgemm;
  int (*threads)();
  void (*setThreads)(int);
  std::atomic<int> status{0};

  void matrices(int64_t batch, int64_t row, int64_t rows, int64_t lane, int64_t lanes) {
    const OneDnnProduct &p = product;
    const int failed = sgemm(p.transposesA ? 'T' : 'N', p.transposesB ? 'T' : 'N', rows, lanes, p.steps, 1.0f,
                             a + batch * p.strideA + row * (p.transposesA ? 1 : p.pitchA), p.pitchA,
                             b + batch * p.strideB + lane * (p.transposesB ? p.pitchB : 1), p.pitchB, 0.0f,
                             c + batch * p.strideC + row * p.pitchC + lane, p.pitchC);
    if (failed)
      status = failed;
  }

  void piece(int64_t task) {
    const OneDnnProduct &p = product;
    // Batches, else rows or lanes in whole vectors.
    const bool byBatch = p.batch >= p.tasks, byRows = p.rows >= p.lanes;
    constexpr int64_t unit = 16;
    const int64_t total = byBatch ? p.batch : ((byRows ? p.rows : p.lanes) + unit - 1) / unit;
    const int64_t scale = byBatch ? 1 : unit, size = byBatch ? p.batch : byRows ? p.rows : p.lanes;
    const int64_t first = total * task / p.tasks * scale,
                  count = std::min(total * (task + 1) / p.tasks * scale, size) - first;
    if (count <= 0)
      return;
    if (byBatch) {
      for (int64_t batch = first; batch < first + count; ++batch)
        matrices(batch, 0, p.rows, 0, p.lanes);
      return;
    }
    for (int64_t batch = 0; batch < p.batch; ++batch)
      if (byRows)
        matrices(batch, first, count, 0, p.lanes);
      else
        matrices(batch, 0, p.rows, first, count);
  }

  static void body(void *arg, int64_t begin, int64_t end) {
    auto &run = *static_cast<Run *>(arg);
    // Two pools that spin would starve each other. OpenMP keeps the number by thread.
    const int before = run.threads ? run.threads() : 1;
    if (before != 1)
      run.setThreads(1);
    for (int64_t task = begin; task < end; ++task)
      run.piece(task);
    if (before != 1)
      run.setThreads(before);
  }
};

} // namespace

std::string OneDnnLibrary::nameOf(int64_t version) {
  char text[64];
  const int numbers = static_cast<int>(version);
  std::snprintf(text, sizeof text, "oneDNN %d.%d.%d", numbers / 10000, numbers / 100 % 100, numbers % 100);
  return text;
}

Expected<OneDnnLibrary> OneDnnLibrary::open(const char *path) {
  OneDnnLibrary library;
  library.handle_ = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library.handle_) {
    const char *text = dlerror();
    return error(ErrorCode::Unavailable, "cannot open oneDNN: %s", text ? text : path);
  }
  const auto version = reinterpret_cast<const VersionInfo *(*)()>(library.entry("dnnl_version"));
  const VersionInfo *info = version ? version() : nullptr;
  if (!info || (info->major != 2 && info->major != 3))
    return error(ErrorCode::Unavailable, "%s is no oneDNN of version 2 or 3", path);
  library.version_ = info->major * 10000 + info->minor * 100 + info->patch;
  library.canBeSerial_ =
      info->cpuRuntime == kSequential || (info->cpuRuntime == kOpenMp && library.entry("omp_set_num_threads"));
  return library;
}

Expected<OneDnnLibrary> OneDnnLibrary::openInstalled() {
  Expected<OneDnnLibrary> library = open("libdnnl.so.3");
  return library ? library : open("libdnnl.so.2");
}

void *OneDnnLibrary::entry(const char *name) const { return dlsym(handle_, name); }

const Expected<OneDnnLibrary> &programOneDnn() {
  static const auto &opened =
      *new Expected<OneDnnLibrary>(openForPrograms()); // programs may run while the process ends
  return opened;
}

std::string OneDnnProduct::kernel() const {
  std::string text(kPrefix);
  for (auto field : kFields)
    text += std::to_string(this->*field) + ",";
  return text;
}

bool isOneDnnKernel(std::string_view kernel) { return kernel.starts_with(kPrefix); }

Status checkOneDnn(int64_t version) {
  const Expected<OneDnnLibrary> &library = programOneDnn();
  const char *why = nullptr;
  std::string other;
  if (!library)
    why = library.status().message().c_str();
  else if (library->version() != version)
    why = (other = library->name() + " is there").c_str();
  else if (!library->canBeSerial() || !library->entry("dnnl_sgemm"))
    why = "its threads are not OpenMP's";
  else
    return {};
  return error(ErrorCode::Unavailable, "%s cannot be used: %s", OneDnnLibrary::nameOf(version).c_str(), why);
}

Status callOneDnn(const std::string &kernel, int64_t version, std::span<void *const> buffers,
                  const burn_rt &functions) {
  if (Status status = checkOneDnn(version); !status)
    return status;
  if (!isOneDnnKernel(kernel) || buffers.size() != 3)
    return malformed();
  Run run;
  const char *at = kernel.c_str() + kPrefix.size();
  for (auto field : kFields) {
    char *end = nullptr;
    run.product.*field = std::strtoll(at, &end, 10);
    if (*end != ',')
      return malformed();
    at = end + 1;
  }
  if (run.product.tasks < 1)
    return malformed();
  const OneDnnLibrary &library = *programOneDnn();
  run.a = static_cast<const float *>(buffers[0]);
  run.b = static_cast<const float *>(buffers[1]);
  run.c = static_cast<float *>(buffers[2]);
  run.sgemm = reinterpret_cast<Sgemm *>(library.entry("dnnl_sgemm"));
  run.threads = reinterpret_cast<int (*)()>(library.entry("omp_get_max_threads"));
  run.setThreads = reinterpret_cast<void (*)(int)>(library.entry("omp_set_num_threads"));
  if (functions.parallel_for)
    functions.parallel_for(functions.ctx, run.product.tasks, Run::body, &run);
  else
    Run::body(&run, 0, run.product.tasks);
  if (const int failed = run.status)
    return error(ErrorCode::Internal, "%s failed with status %d", library.name().c_str(), failed);
  return {};
}

} // namespace burn::core
