// The vendor's management tool of a stack's cards: how it is asked, and what it says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/facts/efsmi.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/check_rule.hpp"

namespace topsctl {

// A card a line, its values between commas in the order of `columns` (card_tool_columns()); what a
// line tells as "N/A" or "[Not Supported]" is absent. Never throws; of what it does not understand
// there are no cards.
CardToolReading card_table_in(std::string_view text, const std::vector<std::string>& columns);

// Starts it, and nothing else. Throws Error if it is not there.
CardToolReading ask_card_tool(const Host& host, const CardToolRules& tool, std::int64_t timeout_ms);

}  // namespace topsctl
