// Buffers that plans have computed from frozen ones.
#pragma once

#include "runtime/Memory/Buffer.h"

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace burn::runtime {

/// What a plan has computed from frozen buffers, kept while the plan and all of these live; a run under way holds its
/// own reference. Thread-safe; a forked child has what its parent had.
namespace derived {

using Buffers = std::vector<BufferRef>;

/// Registers what a fork has to do. Called before that of whoever destroys plans under a lock of its own.
void prepareForFork();

/// What `owner` has computed from exactly these buffers, in order; null where there is nothing yet. Budget: 0.1 us.
std::shared_ptr<const Buffers> find(const void *owner, std::span<Buffer *const> sources);

/// Keeps it from now on. The sources are frozen. All that is kept of them alone has at most four times their bytes, and
/// 1 MiB more: what was used longest ago is dropped, and computed again where it is asked for.
void add(const void *owner, std::span<Buffer *const> sources, std::shared_ptr<const Buffers> buffers);

/// Held while a plan computes such buffers, so that two first runs at once compute them once.
std::unique_lock<std::mutex> lockPreparation();

/// Called as the owner, or one of the buffers, ends.
void forgetOwner(const void *owner);
void forgetSource(const Buffer *source);

/// How often `add` was called.
uint64_t count();

} // namespace derived

} // namespace burn::runtime
