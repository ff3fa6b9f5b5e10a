#include "passes/Driver/Background.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>

#include <pthread.h>
#include <unistd.h>

namespace burn::compiler {
namespace {

/// The jobs of this process, and the thread that carries them out, which is there as long as there are any.
class Background {
public:
  static Background &get() {
    // Never destroyed: the thread may outlast everything static.
    static auto *made = [] {
      auto *background = new Background;
      pthread_atfork([] { get().holdForFork(); }, [] { get().goOn(); }, [] { get().goOnInChild(); });
      std::atexit([] { get().end(); });
      return background;
    }();
    return *made;
  }

  bool add(void (*job)(void *, int), void *arg) {
    watchThread();
    std::lock_guard lock(mutex_);
    if (ended_)
      return false;
    jobs_.push_back({job, arg});
    if (!hasThread_ && !startThread()) {
      jobs_.pop_back();
      return false;
    }
    return true;
  }

private:
  struct Job {
    void (*call)(void *, int);
    void *arg;
  };

  // Whole compiles run in the thread: as much stack as a main thread has.
  static constexpr size_t kStackBytes = size_t(16) << 20;

  bool startThread() {
    // Signals are for the threads of the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    hasThread_ = pthread_create(
                     &thread_, &attributes,
                     [](void *self) -> void * {
                       static_cast<Background *>(self)->work();
                       return nullptr;
                     },
                     this) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return hasThread_;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      goes_->wait(lock, [&] { return forks_ == 0; }); // one after the other would never let a fork in
      if (jobs_.empty())
        break;
      const Job job = jobs_.front();
      jobs_.pop_front();
      isWorking_ = true;
      lock.unlock();
      job.call(job.arg, 0);
      // Static objects inside of functions of the libraries underneath are destroyed in the reverse order in which they
      // were made, and handlers called among them. The first compile makes them: from now on ours comes before.
      if (!hasHandler_)
        std::atexit([] { get().end(); });
      lock.lock();
      hasHandler_ = true;
      isWorking_ = false;
      idle_->notify_all();
    }
    hasThread_ = false;
  }

  void waitUntilIdle(std::unique_lock<std::mutex> &lock) {
    // A job that ends the process, or forks, does not wait for itself.
    if (hasThread_ && pthread_equal(thread_, pthread_self()))
      return;
    idle_->wait(lock, [&] { return !isWorking_ && (!ended_ || jobs_.empty()); });
  }

  void end() {
    std::unique_lock lock(mutex_);
    ended_ = true;
    // One that its thread has not come to yet counts as under way: a short program would never have its plan.
    std::deque<Job> dropped;
    std::swap(dropped, jobs_);
    if (hasThread_ && !isWorking_ && !dropped.empty()) {
      jobs_.push_back(dropped.front());
      dropped.pop_front();
    }
    waitUntilIdle(lock);
    lock.unlock();
    cancel(dropped);
  }

  // Not under the lock: whoever waits for a job is told.
  static void cancel(const std::deque<Job> &jobs) {
    for (const Job &job : jobs)
      job.call(job.arg, 1);
  }

  // The thread-local objects of the thread that ends the process come before everything static. One that is not the
  // main thread may as well end alone, and waits for the first compile only.
  void watchThread() {
    struct Guard {
      ~Guard() { isMain ? get().end() : get().waitForHandler(); }
      bool isMain = false;
    };
    static thread_local Guard guard;
    guard.isMain = getpid() == gettid();
  }

  void waitForHandler() {
    std::unique_lock lock(mutex_);
    idle_->wait(lock, [&] { return hasHandler_ || (jobs_.empty() && !isWorking_); });
  }

  // No lock of the libraries underneath may be held in a fork: nobody would release it in the child.
  void holdForFork() {
    std::unique_lock lock(mutex_);
    ++forks_;
    waitUntilIdle(lock);
    lock.release();
  }
  void goOn() {
    --forks_;
    goes_->notify_all();
    mutex_.unlock();
  }
  void goOnInChild() {
    // Of those who wait there is nobody here.
    idle_ = new std::condition_variable;
    goes_ = new std::condition_variable;
    forks_ = 0;
    hasThread_ = isWorking_ = false;
    std::deque<Job> dropped;
    if (!jobs_.empty() && !startThread())
      std::swap(dropped, jobs_);
    mutex_.unlock();
    cancel(dropped);
  }

  std::mutex mutex_;
  std::condition_variable *idle_ = new std::condition_variable; // a job has ended
  std::condition_variable *goes_ = new std::condition_variable; // no fork waits any more
  int forks_ = 0;                                               // that wait or take place
  std::deque<Job> jobs_;
  pthread_t thread_{};
  bool hasThread_ = false, isWorking_ = false, hasHandler_ = false, ended_ = false;
};

} // namespace

int runInBackground(void (*job)(void *arg, int cancelled), void *arg) { return Background::get().add(job, arg); }

} // namespace burn::compiler
