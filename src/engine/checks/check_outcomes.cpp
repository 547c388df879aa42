// Writes the outcome of a check into its result.
#include "engine/checks/check_outcomes.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

void pass(CheckResult& result, const std::string& observed) {
  result.status = CheckStatus::pass;
  result.observed = printable(observed);
}

void warn(CheckResult& result, const std::string& observed, const std::string& hint) {
  result.status = CheckStatus::warn;
  result.observed = printable(observed);
  result.hint = printable(hint);
}

void fail(CheckResult& result, const std::string& observed, const std::string& hint) {
  warn(result, observed, hint);
  result.status = CheckStatus::fail;
}

void skip(CheckResult& result, const std::string& observed) {
  result.status = CheckStatus::skipped;
  result.observed = printable(observed);
}

void leave_unknown(CheckResult& result, const std::string& observed, const std::string& hint) {
  warn(result, observed, hint);
  result.status = CheckStatus::unknown;
}

}  // namespace topsctl
