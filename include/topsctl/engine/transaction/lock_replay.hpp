// Rejects a signed lock that is older than an installed one of the same key: a replay.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/model/input_file.hpp"

namespace topsctl {

// Throws Error{bad_package} if one of these files is a signed lock that is older than a lock,
// signed by the same key, that a transaction for this stack committed on the host. Commits that
// were rolled back later count too. Does nothing if only root may read the records.
void refuse_older_lock(const Host& host, const std::string& stack,
                       const std::vector<InputFile>& inputs);

}  // namespace topsctl
