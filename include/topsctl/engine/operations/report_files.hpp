// Copies of reports that stay on the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Paths of the vendor's original scripts.
inline constexpr const char* traditional_report =
    "/tmp/topsrider_install_report";  // .json and .txt
inline constexpr const char* traditional_log = "/tmp/topsrider_install.log";
inline constexpr const char* traditional_results = "/tmp/eccl_test_results.json";
inline constexpr const char* traditional_test_report = "/tmp/eccl_test_report.txt";

// Writes the report and the transaction's log under the traditional names. Replaces a link or a
// foreign file by a new file, never follows it or writes into it; beside a directory, uses another
// name. Returns that, and write errors, as warnings.
std::vector<std::string> leave_report(const Host& host, std::int64_t transaction,
                                      const std::string& json, const std::string& text);

// The same for the results of a verification.
std::vector<std::string> leave_test_results(const Host& host, const std::string& json,
                                            const std::string& text);

}  // namespace topsctl
