// What gradients need of a program that has run already.
#pragma once

#include "frontend/Trace/Trace.h"

#include <memory>
#include <mutex>

namespace burn::trace {

/// The part of a trace that some computed results depend on, kept so that `backward` can record it again. It holds the
/// tensors which that part reads. Shared by those results; gone with the last of their handles.
class History {
public:
  /// Gives each result of the trace that requires gradients and has a handle its history. Results below which backward
  /// has been already are only marked: there is nothing to differentiate any more.
  static void keep(Trace &trace);

  /// Records node `node` of this history again in `trace`, with all that it depends on, once.
  static Ref replay(Trace &trace, const std::shared_ptr<History> &history, uint32_t node);

  /// Marks a node as released by backward; drops everything once all of its kind are.
  void release(uint32_t node);
  bool isReleased(uint32_t node);

private:
  std::mutex lock_;
  Trace trace_;
  uint32_t unreleased_ = 0; // nodes that gradients flow through
};

/// Whether gradients can flow through a computed tensor into what it was made from.
bool hasLiveHistory(const TensorImpl &impl);

} // namespace burn::trace
