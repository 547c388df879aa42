// The vendor's management tool for a stack's cards: its command line and its output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/facts/efsmi.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/check_rule.hpp"

namespace topsctl {

// One card per line, with comma-separated values in the order of `columns` (card_tool_columns());
// "N/A" and "[Not Supported]" are absent values. Never throws; returns no cards for unrecognized
// text.
CardToolReading card_table_in(std::string_view text, const std::vector<std::string>& columns);

// Runs only the tool. Throws Error if it is missing.
CardToolReading ask_card_tool(const Host& host, const CardToolRules& tool, std::int64_t timeout_ms);

}  // namespace topsctl
