// Checks of option values, with messages that name the expected form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option_table.hpp"

namespace topsctl {

ValueCheck one_of(const std::vector<std::string>& choices);
// The id of a finding (`topsctl inspect` shows them), with a near one suggested.
ValueCheck known_finding();
// Rejects a finding that is accepted by its own option.
ValueCheck not_accepted_so(const std::string& finding, const std::string& option);
ValueCheck whole_number(std::int64_t least, std::int64_t most);
// "2G", "512 MiB" or "4096" in bytes; powers of 1024. Nothing if it is invalid or too large.
std::optional<std::uint64_t> size_in_bytes(std::string_view text);
ValueCheck size_with_unit();
// The first and the last of "40000-40010". Nothing if they are invalid or out of order.
std::optional<std::pair<std::uint16_t, std::uint16_t>> ports_of(std::string_view text);
ValueCheck port_range();
// The name of an archive compressed with Zstandard: no suffix of another format.
ValueCheck zstd_archive();

}  // namespace topsctl
