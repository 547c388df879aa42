// Records the confirmation of a transaction, if it comes in time.
#include "topsctl/engine/operations/confirmation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/soundness.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"
#include "topsctl/host/facts/usable_host.hpp"

namespace topsctl {

namespace {

Transaction known_transaction(const Host& host, std::int64_t id) {
  const std::vector<Transaction> all = list_transactions(host);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Transaction& t) { return t.id == id; });
  if (found == all.end() || !found->state()) {
    throw Error(ErrorCode::host_unfit, format("no transaction {} on this host", id),
                "`topsctl history` lists them");
  }
  return *found;
}

// Nothing if it may still be confirmed.
std::optional<Confirmed> settled(const Transaction& transaction) {
  if (transaction.state() == TransactionState::committed) {
    if (awaited_confirmation(transaction)) return std::nullopt;
    const Json& details = transaction.records.back().details;
    const auto at = details.is_object() ? details.find("confirmed_at") : details.end();
    const bool is_known = at != details.end() && at->is_string();
    return Confirmed{false, is_known ? at->get<std::string>() : std::string()};
  }
  if (transaction.was_committed()) {
    throw Error(ErrorCode::unconfirmed,
                format("cannot confirm transaction {}: it is {}", transaction.id,
                       transaction.is_unfinished() ? "being rolled back" : "restored"),
                format("see `topsctl history show {}` for when and why", transaction.id));
  }
  throw Error(ErrorCode::host_unfit,
              format("transaction {} is not committed: its outcome is {}", transaction.id,
                     summary_of(transaction).outcome),
              "`topsctl history` lists what can be confirmed");
}

// Under the lock, which the watcher holds for a rollback: decides by the recorded deadline, not by
// whether the watcher has acted yet.
void require_in_time(const Host& host, const Transaction& transaction,
                     const AwaitedConfirmation& awaited) {
  if (time_left(host, awaited).count() > 0) return;
  throw Error(
      ErrorCode::unconfirmed,
      format("too late: transaction {} had to be confirmed before {}", transaction.id,
             awaited.until),
      is_watched(host, transaction)
          ? format("it is being rolled back; `topsctl history show {}` tells when it is done",
                   transaction.id)
          : "run `topsctl recover` to roll it back");
}

}  // namespace

Confirmed confirm(const Host& host, std::int64_t id, const Connection& connection,
                  const Requester& requester, std::int64_t lock_timeout_ms, EventFan& events) {
  require_usable_host(host, Purpose::change);
  if (const auto result = settled(known_transaction(host, id))) return *result;
  Descriptor lock = take_own_lock(host, lock_timeout_ms, told_to(events));
  static_cast<void>(sound_transactions(host));
  const Transaction transaction = known_transaction(host, id);
  if (is_undo_cut_off(host, transaction)) {
    throw Error(ErrorCode::unconfirmed,
                format("cannot confirm transaction {}: it is being rolled back", id),
                "run `topsctl recover` to finish the rollback");
  }
  if (const auto result = settled(transaction)) return *result;
  const AwaitedConfirmation awaited = *awaited_confirmation(transaction);
  require_in_time(host, transaction, awaited);
  if (is_same_connection(awaited.installed_by, connection)) {
    throw Error(ErrorCode::host_unfit,
                format("transaction {} was installed over this same connection, which does not "
                       "prove that a new one works",
                       id),
                format("open a new SSH connection without a control master and run `topsctl "
                       "confirm {}` on the host",
                       id));
  }
  const std::string at = timestamp(host.clock->now());
  Json details = transaction.records.back().details;
  details.erase("confirm_until");
  details.erase("confirm_clock");
  details.erase("installed_by");
  details.update({{"confirmed_at", at}, {"confirmed_by", requester.user}});
  Journal(host.resolve(transaction.folder) / "journal")
      .append(TransactionState::committed, details);
  // So that no process of the transaction is left when the command ends.
  lock.close();
  constexpr std::int64_t timeout_ms = 10'000;
  wait_until_unwatched(host, transaction, WaitLimit(timeout_ms));
  return {true, at};
}

}  // namespace topsctl
