// Finds the newest signed locks in the journals, which are as durable as the commits.
#include "topsctl/engine/transaction/lock_replay.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::vector<Transaction> known_transactions(const Host& host) {
  try {
    return list_transactions(host);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
    return {};
  }
}

bool is_signed_lock(const InputFile& input) {
  return input.kind == InputFile::Kind::lock && input.signed_by;
}

void refuse_if_older(const InputFile& lock, const Transaction& transaction) {
  for (const InputFile& before : inputs_of(transaction)) {
    const bool is_newer = is_signed_lock(before) && before.signed_by->key == lock.signed_by->key &&
                          time_of(before.created_at) > time_of(lock.created_at);
    if (!is_newer) continue;
    throw Error(
        ErrorCode::bad_package,
        format("the lock is from {}, but transaction {} installed a newer one from {}, both signed "
               "with key {}",
               printable(lock.created_at), transaction.id, before.created_at, lock.signed_by->key),
        "use the newest lock; to use the older one, add --allow-older-lock");
  }
}

}  // namespace

void refuse_older_lock(const Host& host, const std::string& stack,
                       const std::vector<InputFile>& inputs) {
  for (const InputFile& input : inputs) {
    if (!is_signed_lock(input)) continue;
    for (const Transaction& transaction : known_transactions(host)) {
      if (transaction.was_committed() && stack_of(transaction).name == stack)
        refuse_if_older(input, transaction);
    }
  }
}

}  // namespace topsctl
