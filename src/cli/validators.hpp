// Checks of option values, with messages that say what was expected.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

CLI::Validator one_of(const std::vector<std::string>& choices);
// The id of a finding (`topsctl inspect` shows them), with a near one suggested.
CLI::Validator known_finding();
// Refuses one of them that has an option of its own.
CLI::Validator not_accepted_so(const std::string& finding, const std::string& option);
CLI::Validator whole_number(std::int64_t least, std::int64_t most);
// "2G", "512 MiB" or "4096" in bytes; powers of 1024. Nothing if it is no size or too large.
std::optional<std::uint64_t> size_in_bytes(std::string_view text);
CLI::Validator size_with_unit();

}  // namespace topsctl
