// Another try after a lost connection, as long as that brings something.
#pragma once

#include <cstdint>
#include <functional>

namespace topsctl {

// What an attempt has to tell, also when it fails.
struct AttemptState {
  bool was_connected = false;      // the far end has answered
  std::uint64_t gained_bytes = 0;  // by all attempts
};

// Calls `attempt` until it returns, with pauses after lost connections; how often it was called
// again. Throws the ConnectionLost of the third attempt in a row that brought nothing, or of the
// first if nothing ever answered; and every other Error.
unsigned retry_lost(const AttemptState& state, const std::function<void()>& attempt);

}  // namespace topsctl
