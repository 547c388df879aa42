// Signed locks that were installed before: an older one of the same key is a replay.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/model/input_file.hpp"

namespace topsctl {

// Throws Error{bad_package} if one of these files is a lock that is signed and older than another
// one, signed by the same key, that a transaction for this stack committed on the host. What was
// rolled back later counts as well. If nobody but root may look, nothing is known.
void refuse_older_lock(const Host& host, const std::string& stack,
                       const std::vector<InputFile>& inputs);

}  // namespace topsctl
