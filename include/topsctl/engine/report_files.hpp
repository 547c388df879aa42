// The copies of an install's report that stay on the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/host/host.hpp"

namespace topsctl {

// The paths that people know from the original scripts.
inline constexpr const char* traditional_report =
    "/tmp/topsrider_install_report";  // .json and .txt
inline constexpr const char* traditional_log = "/tmp/topsrider_install.log";

// Leaves the report and the transaction's log under the traditional names. A link or a foreign file
// there is replaced by a new file, never followed or written into; what cannot be written is
// returned as a warning.
std::vector<std::string> leave_report(const Host& host, std::int64_t transaction,
                                      const std::string& json, const std::string& text);

}  // namespace topsctl
