// The outcomes of a check; texts become printable.
#pragma once

#include <string>

#include "topsctl/model/check.hpp"

namespace topsctl {

void pass(CheckResult& result, const std::string& observed);
void warn(CheckResult& result, const std::string& observed, const std::string& hint);
void fail(CheckResult& result, const std::string& observed, const std::string& hint);
void skip(CheckResult& result, const std::string& observed);
void leave_unknown(CheckResult& result, const std::string& observed, const std::string& hint);

// "killed by signal 4 (SIGILL)".
std::string signal_name(const std::string& ending);
std::string number_text(double value);
// The text with the last output of a process.
std::string with_output(const std::string& text, const std::string& output);

}  // namespace topsctl
