// Waits for a confirmation, and rolls back without one.
#include "topsctl/engine/operations/commit_watchdog.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/lock_wait.hpp"
#include "topsctl/host/system/process.hpp"

namespace topsctl {

namespace {

std::optional<Transaction> begun_transaction(const Host& host, std::int64_t id) {
  for (Transaction& transaction : list_transactions(host)) {
    if (transaction.id == id && transaction.state()) return std::move(transaction);
  }
  return std::nullopt;
}

Descriptor watch_lock(const Host& host, std::int64_t id) {
  const auto file = host.resolve(concat(host.state, "/transactions/", id)) / watchdog_file;
  Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.is_open()) throw system_error(errno, "watch", file.string(), ErrorCode::host_unfit);
  // Status checks hold the lock for a moment.
  constexpr std::int64_t moment_ms = 1000;
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 &&
      !lock_within(lock, LockKind::whole, WaitLimit(moment_ms)))
    throw Error(ErrorCode::busy, format("transaction {} is already watched", id),
                format("end the watch with `topsctl confirm {}`", id));
  return lock;
}

// Returns when there may be something to roll back, or the transaction has ended; the caller
// decides under the lock.
void wait_for_the_end(const Host& host, std::int64_t id) {
  const FileWatch journal(host.resolve(concat(host.state, "/transactions/", id)) / "journal");
  while (!is_interrupted()) {
    std::optional<ReleaseWatch> released;
    journal.clear();
    WaitLimit limit = journal.longest_wait();
    const auto transaction = begun_transaction(host, id);
    if (!transaction) return;
    if (const auto awaited = awaited_confirmation(*transaction)) {
      const auto left = time_left(host, *awaited);
      if (left.count() <= 0) return;
      if (journal.is_watching())
        limit = WaitLimit(std::chrono::ceil<std::chrono::milliseconds>(left).count());
    } else if (!transaction->is_unfinished()) {
      return;
    } else if (!is_at_work(host)) {
      // It may have committed and released the lock since the journal was read.
      const auto latest = begun_transaction(host, id);
      if (!latest || !awaited_confirmation(*latest)) return;
      continue;
    } else {
      released.emplace(opened_lock(host));
    }
    wait_for({journal.descriptor(), released ? released->descriptor() : -1}, limit);
  }
}

}  // namespace

Execution watch(const Host& host, std::int64_t id, EventFan& events) {
  require_usable_host(host, Purpose::change);
  if (!begun_transaction(host, id)) {
    throw Error(ErrorCode::host_unfit, format("no transaction {} on this host", id),
                "`topsctl history` lists them");
  }
  const Descriptor watching = watch_lock(host, id);
  declare_ready();
  wait_for_the_end(host, id);
  clear_interrupt();
  const auto transaction = begun_transaction(host, id);
  if (!transaction || !(transaction->is_unfinished() || awaited_confirmation(*transaction))) {
    Execution nothing;
    nothing.report.root = host.root.string();
    nothing.report.outcome = Outcome::no_change;
    nothing.report.message = format("transaction {} needs no rollback", id);
    return nothing;
  }
  for (;;) {
    try {
      constexpr std::int64_t timeout_ms = 3'600'000;
      return restore_unless_confirmed(host, id, timeout_ms, events);
    } catch (const Error& error) {
      // A lock holder releases its lock eventually, and a second SIGTERM changes nothing.
      const bool may_pass = error.code() == ErrorCode::busy ||
                            error.code() == ErrorCode::terminated ||
                            error.code() == ErrorCode::interrupted;
      if (!may_pass) throw;
      clear_interrupt();
    }
  }
}

}  // namespace topsctl
