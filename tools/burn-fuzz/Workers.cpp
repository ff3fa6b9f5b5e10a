#include "tools/burn-fuzz/Workers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <vector>

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace burn;
using namespace burn::fuzz;

namespace {

using Clock = std::chrono::steady_clock;

std::string describeEnd(int status) {
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? "no end" : "killed by SIG" + std::string(sigabbrev_np(WTERMSIG(status)));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

void writeAll(int descriptor, llvm::StringRef text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      _exit(3); // nobody reads any more
    text = text.drop_front(written);
  }
}

// A signal must end a child as it would end a program of its own, whatever handlers this one has.
void becomeChild() {
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGALRM, SIGINT, SIGTERM})
    std::signal(signal, SIG_DFL);
}

int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

struct Worker {
  pid_t child = -1;
  int pipe = -1;
  std::string text;           // received, not yet a whole line
  uint64_t next = 0, end = 0; // the numbers that it has not begun
  bool inside = false;        // whether it is at next - 1
};

class Pool {
public:
  Pool(const WorkOptions &options, const MakeHandler &makeHandler) : options_(options), makeHandler_(makeHandler) {
    for (uint64_t i = 0; i < options.count; i += options.chunk)
      ranges_.emplace_back(options.first + i, options.first + std::min(i + options.chunk, options.count));
  }

  uint64_t run(llvm::function_ref<void(uint64_t, const llvm::json::Value &)> done,
               llvm::function_ref<void(uint64_t, const std::string &)> crashed) {
    while (true) {
      while (workers_.size() < options_.jobs && !ranges_.empty() && !isLate())
        if (!start())
          break;
      if (options_.enough && options_.enough())
        stop();
      if (workers_.empty())
        return handled_;
      std::vector<pollfd> polled;
      for (const Worker &worker : workers_)
        polled.push_back({worker.pipe, POLLIN, 0});
      if (poll(polled.data(), polled.size(), -1) < 0)
        continue;
      for (size_t i = polled.size(); i-- > 0;)
        if (polled[i].revents && !receive(workers_[i], done)) {
          finish(workers_[i], crashed);
          workers_.erase(workers_.begin() + static_cast<int64_t>(i));
        }
    }
  }

private:
  bool isLate() const {
    return options_.seconds > 0 && std::chrono::duration<double>(Clock::now() - begin_).count() > options_.seconds;
  }

  void stop() {
    ranges_.clear();
    for (Worker &worker : workers_) {
      kill(worker.child, SIGKILL);
      close(worker.pipe);
      waitFor(worker.child);
    }
    workers_.clear();
  }

  bool start() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      return false;
    const auto [first, end] = ranges_.front();
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) {
      close(ends[0]);
      close(ends[1]);
      return false;
    }
    if (child == 0) {
      close(ends[0]);
      work(ends[1], first, end);
      _exit(0);
    }
    close(ends[1]);
    ranges_.pop_front();
    workers_.push_back({child, ends[0], "", first, end, false});
    return true;
  }

  void work(int pipe, uint64_t first, uint64_t end) {
    becomeChild();
    const auto handle = makeHandler_();
    for (uint64_t number = first; number < end && !isLate(); ++number) {
      writeAll(pipe, "begin\n");
      alarm(options_.secondsEach);
      std::string line;
      llvm::raw_string_ostream(line) << handle(number) << "\n";
      alarm(0);
      writeAll(pipe, line);
    }
  }

  // False at the end of a worker's output.
  bool receive(Worker &worker, llvm::function_ref<void(uint64_t, const llvm::json::Value &)> done) {
    char buffer[1 << 16];
    const ssize_t count = ::read(worker.pipe, buffer, sizeof buffer);
    if (count < 0)
      return errno == EINTR || errno == EAGAIN;
    if (count == 0)
      return false;
    worker.text.append(buffer, static_cast<size_t>(count));
    size_t begin = 0;
    for (size_t end; (end = worker.text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const llvm::StringRef line(worker.text.data() + begin, end - begin);
      if (line == "begin") {
        ++worker.next;
        worker.inside = true;
        continue;
      }
      worker.inside = false;
      ++handled_;
      if (llvm::Expected<llvm::json::Value> value = llvm::json::parse(line))
        done(worker.next - 1, *value);
      else
        llvm::consumeError(value.takeError());
    }
    worker.text.erase(0, begin);
    return true;
  }

  void finish(Worker &worker, llvm::function_ref<void(uint64_t, const std::string &)> crashed) {
    close(worker.pipe);
    const int status = waitFor(worker.child);
    if (status == 0)
      return;
    // What a worker leaves behind, another one takes; one that ends before its first number is not tried again.
    if (worker.inside) {
      ++handled_;
      crashed(worker.next - 1, describeEnd(status));
      if (worker.next < worker.end)
        ranges_.emplace_front(worker.next, worker.end);
    } else {
      crashed(worker.next, describeEnd(status) + " between programs");
    }
  }

  const WorkOptions &options_;
  const MakeHandler &makeHandler_;
  const Clock::time_point begin_ = Clock::now();
  std::deque<std::pair<uint64_t, uint64_t>> ranges_;
  std::vector<Worker> workers_;
  uint64_t handled_ = 0;
};

} // namespace

std::string fuzz::inChild(llvm::function_ref<std::string()> body, unsigned seconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return "crash: no pipe";
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return "crash: no process";
  }
  if (child == 0) {
    close(ends[0]);
    becomeChild();
    alarm(seconds);
    writeAll(ends[1], body());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[1 << 16];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) != 0;)
    if (count > 0)
      text.append(buffer, static_cast<size_t>(count));
    else if (errno != EINTR)
      break;
  close(ends[0]);
  const int status = waitFor(child);
  return status == 0 ? text : "crash: " + describeEnd(status);
}

uint64_t fuzz::runInWorkers(const WorkOptions &options, const MakeHandler &makeHandler,
                            llvm::function_ref<void(uint64_t, const llvm::json::Value &)> done,
                            llvm::function_ref<void(uint64_t, const std::string &)> crashed) {
  return Pool(options, makeHandler).run(done, crashed);
}
