// Starts the watchdog of a commit, and waits until it watches.
#include "engine/execution/watchdog_start.hpp"

#include <thread>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

void start_watchdog(const Host& host, const Transaction& transaction) {
  start_detached({"recover", "--unless-confirmed", concat(transaction.id), "--root",
                  host.root.string(), "--quiet"});
  constexpr int most_glances = 1500;
  for (int i = 0; i < most_glances; ++i) {
    throw_if_interrupted();
    if (is_watched(host, transaction)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw Error(ErrorCode::host_unfit, "no process came to watch for the confirmation",
              "install without --confirm-timeout, and look why topsctl cannot start itself");
}

}  // namespace topsctl
