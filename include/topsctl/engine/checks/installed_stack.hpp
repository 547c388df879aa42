// Determines which known stack is installed on a host.
#pragma once

#include <optional>
#include <vector>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/stack/stack.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// The first stack whose required debs are all installed in a version of that stack, at the release
// of the debs. Ignores wheels, because the relevant interpreter is unknown.
std::optional<Stack> stack_among(const std::vector<Stack>& stacks,
                                 const std::vector<TargetPackage>& packages);
// The last install in effect; nothing also where the journals may not be read. Skips damaged
// journals.
std::optional<Transaction> install_in_effect(const Host& host);

// The stack of the last install in effect, by its journal; without one, or where the journals may
// not be read, stack_among() of this host's dpkg and the known stacks. Nothing also without dpkg.
// Throws Error{bad_stack} for a stack file that cannot be read.
std::optional<Stack> installed_stack(const Host& host);

// The stack of this name or file, at the release that the host has; without a choice the installed
// one, else the default one. Throws the errors of load_stack().
Stack stack_on(const Host& host, const std::string& choice);

}  // namespace topsctl
