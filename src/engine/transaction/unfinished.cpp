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
        concat("transaction ", transaction.id, " awaits its confirmation until ", awaited->until),
        concat("`topsctl confirm ", transaction.id, "` from a new connection keeps it, ",
               "`topsctl rollback ", transaction.id, "` restores the state before it"));
  }
}

void refuse_unfinished(const Host& host, std::string_view reason) {
  for (const Transaction& transaction : list_transactions(host)) {
    if (!transaction.is_unfinished()) continue;
    throw Error(
        ErrorCode::host_unfit, concat("transaction ", transaction.id, " is unfinished: ", reason),
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
      const std::string confirm = concat("`topsctl confirm ", transaction.id, "`");
      warnings.push_back(is_watched(host, transaction)
                             ? concat("transaction ", transaction.id, " is restored at ",
                                      awaited->until, " unless ", confirm, " comes before")
                             : concat("transaction ", transaction.id,
                                      " is not confirmed, and nobody watches it: ", confirm,
                                      " keeps it, `topsctl recover` restores the state before it"));
    }
    if (transaction.is_unfinished()) {
      warnings.push_back(concat(
          "transaction ", transaction.id,
          " is unfinished: unless topsctl is at work right now, `topsctl recover` restores the "
          "state before it"));
    }
  }
  return warnings;
}

}  // namespace topsctl
