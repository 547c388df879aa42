// Which of the known stacks a host has.
#pragma once

#include <optional>
#include <vector>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/stack/stack.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// The first of the stacks of which every required deb is installed, in a version of the stack's, at
// the release of the debs. Wheels do not count: which interpreter's is meant, nobody knows.
std::optional<Stack> stack_among(const std::vector<Stack>& stacks,
                                 const std::vector<TargetPackage>& packages);
// The last install that is in effect; nothing also where the journals may not be read. Damaged ones
// are passed over.
std::optional<Transaction> install_in_effect(const Host& host);

// The stack of the last install that is in effect, as its journal says; without one, or where the
// journals may not be read, stack_among() of this host's dpkg and the stacks that topsctl knows.
// Nothing also without dpkg. Throws Error{bad_stack} for a stack file that cannot be read.
std::optional<Stack> installed_stack(const Host& host);

// The one that is chosen by name or file, at the release that the host has of it; without a choice
// the installed one, else the default one. Throws what load_stack() throws.
Stack stack_on(const Host& host, const std::string& choice);

}  // namespace topsctl
