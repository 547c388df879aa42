// Errors and warnings about transactions that are unfinished or await a confirmation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Throws Error{busy} while a transaction awaits its confirmation: a rollback could not separate a
// later transaction from it.
void refuse_unconfirmed(const Host& host);

// Throws Error{host_unfit} while a transaction is unfinished; the message has `reason`.
void refuse_unfinished(const Host& host, std::string_view reason);

// The same for a dry run, which recovers nothing: it would plan for half-installed packages. Throws
// the errors of the real command, also for a damaged journal. Does nothing where the journals may
// not be read.
void refuse_plan_of_unfinished(const Host& host);

// What others changed of an unfinished transaction since (UndoPlan::conflicts): a recovery refuses
// to restore it without --force. Empty also where that is not known.
std::vector<std::string> changed_since_interruption(const Host& host,
                                                    const Transaction& transaction);

// The first few of such conflicts, printable, and how many more there are.
std::string named_conflicts(const std::vector<std::string>& conflicts);

// One warning per unfinished transaction, for read-only commands.
std::vector<std::string> unfinished_warnings(const Host& host);

}  // namespace topsctl
