// The one question that a command asks before it changes a host.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace topsctl {

struct OptionTable;

// -y, --yes.
void add_yes_option(OptionTable& table, bool& yes);
// The same of a command that changes a host but never asks: scripts can give it to all of them.
void accept_yes_option(OptionTable& table, bool& yes);

// Whether to ask for approval: there is a terminal for the answer, and the report is text.
bool is_to_be_asked(const Session& session, bool yes, bool dry_run);

// Shows the plan at the terminal and asks; true for y or yes, and if there is no terminal. Throws
// Error{interrupted}.
bool is_approved(const std::string& plan, const std::string& question);
// The same; throws Error{interrupted} for any other answer too.
void require_approval(const std::string& plan, const std::string& question);

}  // namespace topsctl
