// Retries after a lost connection while they make progress.
#pragma once

#include <cstdint>
#include <functional>

namespace topsctl {

// The state of an attempt, valid also after a failure.
struct AttemptState {
  bool was_connected = false;      // the remote has answered
  std::uint64_t gained_bytes = 0;  // of all attempts together
};

// Calls `attempt` until it returns, with pauses after lost connections; returns the number of
// retries. Throws the ConnectionLost of the third consecutive attempt without progress, or of the
// first if the remote never answered; and every other Error.
unsigned retry_lost(const AttemptState& state, const std::function<void()>& attempt);

}  // namespace topsctl
