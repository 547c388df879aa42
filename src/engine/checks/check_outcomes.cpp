// Writes the outcome of a check into its result.
#include "engine/checks/check_outcomes.hpp"

#include <array>
#include <charconv>
#include <utility>

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

std::string signal_name(const std::string& ending) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> names = {
      {{"signal 4", "SIGILL"},
       {"signal 6", "SIGABRT"},
       {"signal 7", "SIGBUS"},
       {"signal 11", "SIGSEGV"}}};
  for (const auto& [number, name] : names) {
    if (ending.ends_with(number)) return concat(ending, " (", name, ")");
  }
  return ending;
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::string(text.data(), end) : std::string("?");
}

std::string with_output(const std::string& text, const std::string& output) {
  return output.empty() ? text : format("{}; output: {}", text, output);
}

}  // namespace topsctl
