// Checks of option values, with messages that say what was expected.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace topsctl {

CLI::Validator one_of(const std::vector<std::string>& choices);
// The id of a finding (`topsctl inspect` shows them), with a near one suggested.
CLI::Validator known_finding();
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

}  // namespace topsctl
