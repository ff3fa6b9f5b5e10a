#include "runtime/Memory/PendingRun.h"

#include <algorithm>
#include <utility>

namespace burn::runtime {

using core::ErrorCode;
using core::Expected;
using core::Status;

bool PendingRun::isKnown() const {
  std::lock_guard lock(mutex_);
  return isSettled_ ||
         ((!own_ || own_->isKnown()) && std::ranges::all_of(before_, [](const auto &run) { return run->isKnown(); }));
}

// Waits without the lock, so that others can ask meanwhile; all of them find the same.
Status PendingRun::settle() {
  std::shared_ptr<RunOutcome> own;
  std::vector<std::shared_ptr<PendingRun>> before;
  {
    std::lock_guard lock(mutex_);
    if (isSettled_)
      return status_;
    own = own_;
    before = before_;
  }
  Status status;
  for (const auto &run : before)
    if (status = run->settle(); !status)
      break;
  const Expected<int64_t> failed = status && own ? own->wait() : int64_t(-1);
  std::lock_guard lock(mutex_);
  if (std::exchange(isSettled_, true))
    return status_;
  status_ = !status ? status : !failed ? failed.status() : statusOf(*failed);
  before_.clear();
  own_.reset();
  plan_.reset();
  return status_;
}

Status PendingRun::statusOf(int64_t failed) const {
  if (failed < 0)
    return Status::ok();
  const auto number = static_cast<size_t>(failed);
  if (number >= plan_->checks.size())
    return Status::error(ErrorCode::Internal, "compiled code failed the unknown check " + std::to_string(number));
  const core::PlanCheck &check = plan_->checks[number];
  return Status::error(ErrorCode::OutOfRange, check.message, {number < places_.size() ? places_[number] : check.op});
}

void PendingRun::locate(std::vector<uint32_t> places) {
  std::lock_guard lock(mutex_);
  places_ = std::move(places);
  isLocated_ = true;
}

bool PendingRun::isLocated() const {
  std::lock_guard lock(mutex_);
  return isLocated_;
}

} // namespace burn::runtime
