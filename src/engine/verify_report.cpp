// The document of a verification.
#include "topsctl/engine/verify_report.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/files.hpp"

namespace topsctl {

Json verify_body(const std::string& stack, const Verification& verification) {
  Json checks = Json::array();
  for (const CheckResult& check : verification.checks) checks.push_back(to_json(check));
  Json stop = nullptr;
  if (verification.stop)
    stop = {{"rung", name(verification.stop->rung)}, {"check", verification.stop->check}};
  return {{"api", text_or_null(verification.api)},
          {"stack", text_or_null(stack)},
          {"python", text_or_null(verification.python)},
          {"stopped_at", std::move(stop)},
          {"checks", std::move(checks)}};
}

std::vector<std::string> leave_test_results(const Host& host, const std::string& json,
                                            const std::string& text) {
  constexpr mode_t readable_by_all = 0644;
  std::vector<std::string> warnings;
  const auto leave = [&](const char* path, const std::string& bytes) {
    try {
      write_plainly(host.at(path), bytes, readable_by_all);
    } catch (const Error& error) {
      warnings.push_back(
          concat("the results could not be left at ", in_quotes(path), ": ", error.message()));
    }
  };
  leave(traditional_results, json);
  leave(traditional_test_report, text);
  return warnings;
}

}  // namespace topsctl
