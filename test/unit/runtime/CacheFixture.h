// What tests of the cache share: a private folder, plans to store, child processes.
#pragma once

#include "runtime/Cache/PlanCache.h"

#include <burn/parallel.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace burn::runtime::test {

/// A folder of its own, removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "burn-test-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("cannot make " + pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string &path() const { return path_; }
  std::string operator/(const std::string &name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

inline std::vector<std::byte> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto *bytes = reinterpret_cast<const std::byte *>(text.data());
  return {bytes, bytes + text.size()};
}

inline void writeFile(const std::string &path, Bytes bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

inline std::vector<std::byte> bytesOf(const std::string &text) {
  const auto *bytes = reinterpret_cast<const std::byte *>(text.data());
  return {bytes, bytes + text.size()};
}

inline std::string fixturePath(const std::string &name) {
  return std::string(BURN_BINARY_DIR "/test/unit/fixtures/lib") + name + ".so";
}

/// The plan of fixtures/Plan.h: one buffer in, one out.
inline core::Plan addPlan() {
  const core::TypeDesc type{DType::F32, {1000}};
  core::Plan plan;
  plan.args.push_back({type, core::ArgKind::Buffer, false, 0, "x"});
  plan.results.push_back({type, core::ResultSource::Fresh, 0});
  plan.kernels.push_back({"add", core::ClusterKind::Single, {"add"}, 4000, 4000});
  plan.checks.push_back({4, "first check"});
  plan.checks.push_back({9, "x is negative"});
  return plan;
}

/// Reads each fixture once: another user may not be able to.
inline CompiledPlan compiled(const std::string &fixture) {
  static std::map<std::string, std::vector<std::byte>> files;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  auto [file, isNew] = files.try_emplace(fixture);
  if (isNew)
    file->second = readFile(fixturePath(fixture));
  return {file->second, core::serialize(addPlan())};
}

/// What the plan adds to its input, or a negative number where it does not run.
inline float stepOf(const LoadedPlan &plan) {
  BufferRef x = std::move(*Buffer::allocate(4000));
  for (int i = 0; i < 1000; ++i)
    static_cast<float *>(x->data())[i] = float(i);
  BufferRef y;
  if (!plan.execute({&x, 1}, nullptr, {&y, 1}))
    return -1;
  const auto *values = static_cast<const float *>(y->data());
  for (int i = 0; i < 1000; ++i)
    if (values[i] - float(i) != values[0])
      return -2;
  return values[0];
}

/// Called first in a forked child. ThreadSanitizer ends a child that starts threads, so there loops run serially.
inline void setUpChild() {
  alarm(60);
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  set_parallel_backend([](void *, int64_t tasks, ParallelBody body, void *arg) { body(arg, 0, tasks); }, nullptr);
#endif
#endif
}

/// Runs `body` in a child process and returns its exit code; 100 + the number of the signal that ended it.
inline int inChild(const std::function<int()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    setUpChild();
    int code = 99;
    try {
      code = body();
    } catch (...) {
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

} // namespace burn::runtime::test
