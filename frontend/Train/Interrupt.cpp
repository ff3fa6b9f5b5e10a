#include <burn/train.h>

#include <csignal>
#include <iterator>

namespace burn {

namespace {

constexpr int watched[] = {SIGINT, SIGTERM};

volatile std::sig_atomic_t signalSeen = 0;
struct sigaction previous[std::size(watched)];

void note(int) { signalSeen = 1; }

} // namespace

InterruptGuard::InterruptGuard() {
  signalSeen = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  // SA_RESETHAND: the second signal meets the default action and ends the process, also where a step hangs.
  // SA_RESTART: system calls of the current step go on undisturbed.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (size_t i = 0; i < std::size(watched); ++i)
    sigaction(watched[i], &action, &previous[i]);
}

InterruptGuard::~InterruptGuard() {
  for (size_t i = 0; i < std::size(watched); ++i)
    sigaction(watched[i], &previous[i], nullptr);
}

bool InterruptGuard::interrupted() const { return signalSeen != 0; }

} // namespace burn
