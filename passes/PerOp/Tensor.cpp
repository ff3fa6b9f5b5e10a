#include "passes/PerOp/Tensor.h"

#include "runtime/Core/HostMemory.h"

#include <algorithm>
#include <cstdlib>

namespace burn::compiler::perop {

BlockPool::~BlockPool() {
  for (const auto &[bytes, block] : free_)
    std::free(block);
}

core::Expected<std::shared_ptr<std::byte>> BlockPool::allocate(int64_t bytes) {
  constexpr int64_t alignment = 64;
  int64_t size = (std::max<int64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  std::byte *block = nullptr;
  {
    std::lock_guard lock(mutex_);
    // Not one that is much larger, which a larger tensor will want.
    if (const auto found = free_.lower_bound(size); found != free_.end() && found->first <= size + size / 4) {
      size = found->first;
      block = found->second;
      free_.erase(found);
    }
  }
  if (!block) {
    if (core::Status status = core::checkHostMemory(size); !status)
      return status;
    block = static_cast<std::byte *>(std::aligned_alloc(alignment, static_cast<size_t>(size)));
    if (!block)
      return core::Status::error(core::ErrorCode::OutOfMemory, "out of memory for " + std::to_string(size) + " bytes");
  }
  return std::shared_ptr<std::byte>(
      block, [pool = shared_from_this(), size](std::byte *given) { pool->giveBack(given, size); });
}

void BlockPool::giveBack(std::byte *block, int64_t bytes) {
  std::lock_guard lock(mutex_);
  free_.emplace(bytes, block);
}

} // namespace burn::compiler::perop
