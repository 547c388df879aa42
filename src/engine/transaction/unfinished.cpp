// Reports transactions that have not ended.
#include "topsctl/engine/transaction/unfinished.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/engine/transaction/interrupted_undo.hpp"
#include "topsctl/engine/transaction/soundness.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

// The damage of one transaction. Nothing while topsctl is active, because an active transaction may
// look damaged.
std::optional<Error> damage_of(const Host& host, std::int64_t id) {
  if (is_at_work(host)) return std::nullopt;
  for (ExaminedTransaction& examined : examine_transactions(host)) {
    if (examined.transaction.id == id) return std::move(examined.damage);
  }
  return std::nullopt;
}

std::string warning_of_unfinished(const Host& host, const Transaction& transaction) {
  const std::int64_t id = transaction.id;
  if (const auto damage = damage_of(host, id))
    return concat(damage->message(), "; ", damage->hint());
  const std::vector<std::string> changed = changed_since_interruption(host, transaction);
  if (!changed.empty()) {
    return format(
        "transaction {} is unfinished, and others changed files of it since: {}; `topsctl recover "
        "--force` rolls back everything, their changes too",
        id, named_conflicts(changed));
  }
  return format(
      "transaction {} is unfinished: unless topsctl is running now, `topsctl recover` "
      "rolls it back",
      id);
}

}  // namespace

std::vector<std::string> changed_since_interruption(const Host& host,
                                                    const Transaction& transaction) {
  if (is_at_work(host)) return {};
  try {
    return conflicts_of_interrupted(host, transaction);
  } catch (const Error&) {
    throw_if_interrupted();  // a recovery reports other errors
    return {};
  }
}

std::string named_conflicts(const std::vector<std::string>& conflicts) {
  constexpr std::size_t most = 5;
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(most, conflicts.size()); ++i)
    named.push_back(printable(conflicts[i]));
  return concat(joined(named, ", "), conflicts.size() > most
                                         ? format(" and {} more", conflicts.size() - most)
                                         : std::string());
}

void refuse_unconfirmed(const Host& host) {
  for (const Transaction& transaction : list_transactions(host)) {
    const auto awaited = awaited_confirmation(transaction);
    if (!awaited) continue;
    throw Error(
        ErrorCode::busy,
        format("transaction {} awaits confirmation until {}", transaction.id, awaited->until),
        format("`topsctl confirm {}` over a new connection keeps it, `topsctl rollback {}` rolls "
               "it back",
               transaction.id, transaction.id));
  }
}

void refuse_unfinished(const Host& host, std::string_view reason) {
  for (const Transaction& transaction : list_transactions(host)) {
    if (!transaction.is_unfinished()) continue;
    throw Error(ErrorCode::host_unfit,
                format("transaction {} is unfinished: {}", transaction.id, reason),
                changed_since_interruption(host, transaction).empty()
                    ? "roll it back with `topsctl recover`, then rerun the same command"
                    : "others changed files of it since: roll it back, and their changes too, with "
                      "`topsctl recover --force`, then rerun the same command");
  }
}

void refuse_plan_of_unfinished(const Host& host) {
  try {
    if (!is_at_work(host)) static_cast<void>(sound_transactions(host));
    refuse_unfinished(host, "no plan can be made before the host is as it was");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;  // only root may look
  }
}

std::vector<std::string> unfinished_warnings(const Host& host) {
  std::vector<std::string> warnings;
  std::vector<Transaction> transactions;
  try {
    transactions = list_transactions(host);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
    return warnings;  // only root may look
  }
  for (const Transaction& transaction : transactions) {
    if (const auto awaited = awaited_confirmation(transaction)) {
      const std::string confirm = format("`topsctl confirm {}`", transaction.id);
      warnings.push_back(
          is_watched(host, transaction)
              ? format("transaction {} will be rolled back at {} unless {} is run first",
                       transaction.id, awaited->until, confirm)
              : format("transaction {} is not confirmed and has no watchdog: {} keeps it, `topsctl "
                       "recover` rolls it back",
                       transaction.id, confirm));
    }
    if (transaction.is_unfinished()) warnings.push_back(warning_of_unfinished(host, transaction));
  }
  return warnings;
}

}  // namespace topsctl
