// Tells of transactions that have not come to their end.
#include "topsctl/engine/transaction/unfinished.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

void refuse_unconfirmed(const Host& host) {
  for (const Transaction& transaction : list_transactions(host)) {
    const auto awaited = awaited_confirmation(transaction);
    if (!awaited) continue;
    throw Error(
        ErrorCode::busy,
        format("transaction {} awaits its confirmation until {}", transaction.id, awaited->until),
        format("`topsctl confirm {}` from a new connection keeps it, `topsctl rollback {}` "
               "restores the state before it",
               transaction.id, transaction.id));
  }
}

void refuse_unfinished(const Host& host, std::string_view reason) {
  for (const Transaction& transaction : list_transactions(host)) {
    if (!transaction.is_unfinished()) continue;
    throw Error(
        ErrorCode::host_unfit, format("transaction {} is unfinished: {}", transaction.id, reason),
        "restore the state before it with `topsctl recover`, and run the same command again");
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
      warnings.push_back(is_watched(host, transaction)
                             ? format("transaction {} is restored at {} unless {} comes before",
                                      transaction.id, awaited->until, confirm)
                             : format("transaction {} is not confirmed, and nobody watches it: {} "
                                      "keeps it, `topsctl recover` restores the state before it",
                                      transaction.id, confirm));
    }
    if (transaction.is_unfinished()) {
      warnings.push_back(
          format("transaction {} is unfinished: unless topsctl is at work right now, `topsctl "
                 "recover` restores the state before it",
                 transaction.id));
    }
  }
  return warnings;
}

}  // namespace topsctl
