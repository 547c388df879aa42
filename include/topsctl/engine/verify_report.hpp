// What a climb comes to as a document, and the copies of it that stay on the machine.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/checks.hpp"
#include "topsctl/host/host.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// The names that people know from the original scripts.
inline constexpr const char* traditional_results = "/tmp/eccl_test_results.json";
inline constexpr const char* traditional_test_report = "/tmp/eccl_test_report.txt";

// The body of `topsctl verify --json`. `stack`: its name; empty: none was chosen.
Json verify_body(const std::string& stack, const Verification& verification);

// Leaves both under the traditional names. A link or a foreign file there is replaced by a new
// file, never followed or written into; what cannot be written is returned as a warning.
std::vector<std::string> leave_test_results(const Host& host, const std::string& json,
                                            const std::string& text);

}  // namespace topsctl
