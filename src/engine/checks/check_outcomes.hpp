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

}  // namespace topsctl
