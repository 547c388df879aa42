// What is said of transactions that are unfinished or await a confirmation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Throws Error{busy} while a transaction awaits its confirmation: another on top of it could not be
// told apart from it when it is restored.
void refuse_unconfirmed(const Host& host);

// Throws Error{host_unfit} while a transaction is unfinished, with the reason why that stops the
// command.
void refuse_unfinished(const Host& host, std::string_view reason);

// The same for a dry run, which recovers nothing: its plan would be one for packages that are half
// there. Throws what the change itself would refuse, a damaged journal too. Does nothing where the journals may not be read.
void refuse_plan_of_unfinished(const Host& host);

// A warning for each unfinished transaction, for commands that only look.
std::vector<std::string> unfinished_warnings(const Host& host);

}  // namespace topsctl
