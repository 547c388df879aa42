// Starts the watchdog of a commit, and waits until it is ready.
#include "engine/execution/watchdog_start.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/process.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

void start_watchdog(const Host& host, const Transaction& transaction) {
  const Descriptor ready = start_detached({"recover", "--unless-confirmed", concat(transaction.id),
                                           "--root", host.root.string(), "--quiet"});
  constexpr std::int64_t timeout_ms = 30'000;
  wait_for({ready.get()}, WaitLimit(timeout_ms));
  throw_if_interrupted();
  if (is_watched(host, transaction)) return;
  throw Error(ErrorCode::host_unfit, "the process that waits for the confirmation did not start",
              "install without --confirm-timeout, and find out why topsctl cannot start itself");
}

}  // namespace topsctl
