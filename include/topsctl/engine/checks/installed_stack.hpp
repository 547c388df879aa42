// Which of the known stacks a host has.
#pragma once

#include <optional>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/stack.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// The first of the stacks of which every required deb is installed, in a version of the stack's;
// nullptr: none. Wheels do not count: which interpreter's is meant, nobody knows.
const Stack* stack_among(const std::vector<Stack>& stacks,
                         const std::vector<TargetPackage>& packages);
// The same of this host's dpkg and the stacks that topsctl knows here; nothing also without dpkg.
// Throws Error{bad_stack} for a stack file that cannot be read.
std::optional<Stack> installed_stack(const Host& host);

// The one that is chosen by name or file; without a choice the installed one, else the first that
// is known. Throws what load_stack() throws.
Stack stack_on(const Host& host, const std::string& choice);

}  // namespace topsctl
