#include "runtime/Cache/PlanCache.h"

#include "runtime/Compiler/PlanKey.h"
#include "runtime/Memory/DerivedBuffers.h"

#include <algorithm>
#include <chrono>

#include <pthread.h>

namespace burn::runtime {

using core::Expected;
using core::Status;

namespace {

bool equal(Bytes a, Bytes b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

} // namespace

bool PlanCache::Entry::is(Bytes other, Device *of) const { return device == of && equal(key, other); }

PlanPointer PlanCache::findLocked(const KeyHash &hash, Bytes key, Device *device) {
  const auto [first, last] = index_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (!it->second->is(key, device))
      continue;
    entries_.splice(entries_.begin(), entries_, it->second);
    return it->second->plan;
  }
  return nullptr;
}

// `dropped` outlives the lock: unloading code takes the dynamic linker's time.
void PlanCache::keepLocked(const KeyHash &hash, Bytes key, Device *device, const PlanPointer &plan,
                           std::list<Entry> &dropped) {
  const auto [first, last] = index_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (it->second->is(key, device)) {
      it->second->plan = plan;
      entries_.splice(entries_.begin(), entries_, it->second);
      return;
    }
  entries_.push_front({hash, {key.begin(), key.end()}, device, plan});
  index_.emplace(hash, entries_.begin());
  while (entries_.size() > capacity_) {
    const auto oldest = std::prev(entries_.end());
    const auto [begin, end] = index_.equal_range(oldest->hash);
    for (auto it = begin; it != end; ++it)
      if (it->second == oldest) {
        index_.erase(it);
        break;
      }
    dropped.splice(dropped.end(), entries_, oldest);
  }
}

// What the driver made of the code is an entry of its own: it is written after the plan was loaded, and is as good as
// absent where another driver wrote it.
Expected<PlanPointer> PlanCache::loadOn(Device &device, Bytes key, Bytes code, Bytes plan) const {
  const Expected<std::vector<std::byte>> driverKey = makeDriverCacheKey(key);
  if (!driverKey)
    return LoadedPlan::load(device, code, plan, {});
  const std::optional<CacheHit> known = disk_.lookup(*driverKey);
  Expected<PlanPointer> loaded = LoadedPlan::load(device, code, plan, known ? known->entry.elf : Bytes());
  if (!loaded)
    return loaded;
  const std::vector<std::byte> made = (*loaded)->deviceCode()->driverCache();
  if (!made.empty() && (!known || !equal(made, known->entry.elf)))
    disk_.store({made, {}, *driverKey, {}});
  return loaded;
}

PlanPointer PlanCache::loadFromDisk(Bytes key, Device *device) const {
  std::optional<CacheHit> hit = disk_.lookup(key);
  if (!hit)
    return nullptr;
  if (device) {
    Expected<PlanPointer> plan = loadOn(*device, key, hit->entry.elf, hit->entry.plan);
    return plan ? *plan : nullptr;
  }
  Expected<PlanPointer> plan = LoadedPlan::load(std::move(hit->file), hit->entry.plan);
  if (plan)
    return *plan;
  // A file system that allows no code to be mapped; the bytes are checked, so serve them from memory.
  Expected<FileDescriptor> memory = memoryFile(hit->entry.elf);
  if (!memory)
    return nullptr;
  plan = LoadedPlan::load(std::move(*memory), hit->entry.plan);
  return plan ? *plan : nullptr;
}

Expected<PlanPointer> PlanCache::make(Bytes key, const CompiledPlan &compiled, Device *device) const {
  auto file = disk_.store({compiled.elf, compiled.plan, key, loadedToolchain()});
  if (device)
    return loadOn(*device, key, compiled.elf, compiled.plan);
  if (file)
    if (Expected<PlanPointer> plan = LoadedPlan::load(std::move(*file), compiled.plan))
      return plan;
  Expected<FileDescriptor> memory = memoryFile(compiled.elf);
  if (!memory)
    return memory.status();
  return LoadedPlan::load(std::move(*memory), compiled.plan);
}

PlanPointer PlanCache::findInMemory(const KeyHash &hash, Bytes key, Device *device) {
  std::lock_guard lock(mutex_);
  PlanPointer plan = findLocked(hash, key, device);
  stats_.memoryHits += plan != nullptr;
  return plan;
}

PlanPointer PlanCache::lookup(Bytes key, Device *device) {
  const KeyHash hash = hashKey(key);
  if (PlanPointer plan = findInMemory(hash, key, device))
    return plan;
  PlanPointer plan = loadFromDisk(key, device);
  if (plan) {
    std::list<Entry> dropped;
    std::lock_guard lock(mutex_);
    ++stats_.plansLoaded;
    stats_.kernelsLoaded += static_cast<int64_t>(plan->plan().kernels.size());
    keepLocked(hash, key, device, plan, dropped);
  }
  return plan;
}

Expected<PlanPointer> PlanCache::insert(Bytes key, const CompiledPlan &compiled, Device *device) {
  Expected<PlanPointer> plan = make(key, compiled, device);
  if (!plan)
    return plan;
  std::list<Entry> dropped;
  std::lock_guard lock(mutex_);
  ++stats_.plansCompiled;
  stats_.kernelsCompiled += static_cast<int64_t>((*plan)->plan().kernels.size());
  keepLocked(hashKey(key), key, device, *plan, dropped);
  return plan;
}

// What is being made under a key, or was made a moment ago; a new one, which is then the caller's to make, where there
// is none.
std::shared_ptr<PendingPlan> PlanCache::claim(Bytes key, Device *device, bool &isMine) {
  auto mine = std::make_shared<PendingPlan>();
  std::lock_guard lock(mutex_);
  for (const auto &other : inFlight_)
    if (other->device == device && equal(other->key, key))
      return other;
  if (PlanPointer plan = findLocked(hashKey(key), key, device)) {
    mine->result = std::move(plan);
    mine->isDone = true;
    return mine;
  }
  mine->key.assign(key.begin(), key.end());
  mine->device = device;
  inFlight_.push_back(mine);
  isMine = true;
  return mine;
}

void PlanCache::finish(PendingPlan &pending, const Expected<PlanPointer> &result, bool isCancelled) {
  std::lock_guard lock(mutex_);
  pending.result = result;
  pending.isCancelled = isCancelled;
  pending.isDone.store(true, std::memory_order_release);
  inFlight_.remove_if([&](const auto &other) { return other.get() == &pending; });
  done_.notify_all();
}

Expected<PlanPointer> PlanCache::produce(PendingPlan &pending, const Compile &compile) {
  try {
    const auto start = std::chrono::steady_clock::now();
    Expected<CompiledPlan> compiled = compile();
    Expected<PlanPointer> plan =
        compiled ? insert(pending.key, *compiled, pending.device) : Expected<PlanPointer>(compiled.status());
    {
      const auto spent = std::chrono::steady_clock::now() - start;
      std::lock_guard lock(mutex_);
      stats_.compileNs += std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count();
    }
    finish(pending, plan);
    return plan;
  } catch (...) {
    finish(pending, Status::error(core::ErrorCode::Internal, "the compile of this plan ended in an exception"));
    throw;
  }
}

Expected<PlanPointer> PlanCache::get(Bytes key, const Compile &compile, bool skipDisk, Device *device) {
  if (PlanPointer plan = skipDisk ? findInMemory(hashKey(key), key, device) : lookup(key, device))
    return plan;
  bool isMine = false;
  const std::shared_ptr<PendingPlan> pending = claim(key, device, isMine);
  if (isMine)
    return produce(*pending, compile);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return pending->isDone.load(); });
  return *pending->result;
}

std::shared_ptr<const PendingPlan> PlanCache::start(Bytes key, Compile compile, bool (*inBackground)(Job job)) {
  if (PlanPointer plan = lookup(key)) {
    auto done = std::make_shared<PendingPlan>();
    done->result = std::move(plan);
    done->isDone = true;
    return done;
  }
  bool isMine = false;
  std::shared_ptr<PendingPlan> pending = claim(key, nullptr, isMine);
  if (isMine) {
    const Job job = [this, pending, compile = std::move(compile)](bool isCancelled) {
      if (isCancelled)
        return finish(*pending, Status::error(core::ErrorCode::Unavailable, "the process ends"), true);
      try {
        (void)produce(*pending, compile);
      } catch (...) { // is in the result
      }
    };
    if (inBackground(job)) {
      // A child of a fork before this has the job, but not the entry: it compiles the program twice at worst.
      std::lock_guard lock(mutex_);
      pending->isInBackground = true;
    } else {
      job(false);
    }
  }
  return pending;
}

void PlanCache::waitUntilDone() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return inFlight_.empty(); });
}

PlanCacheStats PlanCache::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

void PlanCache::resetStats() {
  std::lock_guard lock(mutex_);
  stats_ = {};
}

void PlanCache::unlockAfterFork(bool child) {
  if (child)
    inFlight_.remove_if([](const auto &pending) { return !pending->isInBackground; });
  mutex_.unlock();
}

PlanCache &planCache() {
  // Never destroyed: threads and static tensors may run plans while the process ends.
  static PlanCache &cache = []() -> PlanCache & {
    auto *made = new PlanCache(DiskCacheOptions::fromEnvironment());
    // A fork takes the lock of the cache first, as one that drops a plan does.
    derived::prepareForFork();
    pthread_atfork([] { planCache().lockForFork(); }, [] { planCache().unlockAfterFork(false); },
                   [] { planCache().unlockAfterFork(true); });
    return *made;
  }();
  return cache;
}

} // namespace burn::runtime
