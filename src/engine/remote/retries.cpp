// Retries after a lost connection, with a pause.
#include "topsctl/engine/remote/retries.hpp"

#include <chrono>

#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

unsigned retry_lost(const AttemptState& state, const std::function<void()>& attempt) {
  constexpr unsigned most_vain = 3;
  unsigned vain = 0;
  for (unsigned retries = 0;; ++retries) {
    const std::uint64_t before = state.gained_bytes;
    try {
      attempt();
      return retries;
    } catch (const ConnectionLost&) {
      throw_if_interrupted();
      // An attempt with progress resets the count.
      vain = state.gained_bytes > before ? 1 : vain + 1;
      if (!state.was_connected || vain == most_vain) throw;
      pause_for(std::chrono::seconds(vain));
    }
  }
}

}  // namespace topsctl
