// The copies of reports that stay on the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// The paths that people know from the original scripts.
inline constexpr const char* traditional_report =
    "/tmp/topsrider_install_report";  // .json and .txt
inline constexpr const char* traditional_log = "/tmp/topsrider_install.log";
inline constexpr const char* traditional_results = "/tmp/eccl_test_results.json";
inline constexpr const char* traditional_test_report = "/tmp/eccl_test_report.txt";

// Leaves the report and the transaction's log under the traditional names. A link or a foreign file
// there is replaced by a new file, never followed or written into; beside a folder there it gets
// another name. That, and what cannot be written, is returned as a warning.
std::vector<std::string> leave_report(const Host& host, std::int64_t transaction,
                                      const std::string& json, const std::string& text);

// The same of a verification's results.
std::vector<std::string> leave_test_results(const Host& host, const std::string& json,
                                            const std::string& text);

}  // namespace topsctl
