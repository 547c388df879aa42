// The document of a verification.
#include "topsctl/engine/checks/verify_report.hpp"

#include <nlohmann/json.hpp>

namespace topsctl {

Json verify_body(const Stack& stack, const Verification& verification) {
  Json checks = Json::array();
  for (const CheckResult& check : verification.checks) checks.push_back(to_json(check));
  Json stop = nullptr;
  if (verification.stop)
    stop = {{"rung", name(verification.stop->level)}, {"check", verification.stop->check}};
  return {{"api", text_or_null(verification.api)},  {"stack", text_or_null(stack.name)},
          {"release", text_or_null(stack.release)}, {"python", text_or_null(verification.python)},
          {"stopped_at", std::move(stop)},          {"checks", std::move(checks)}};
}

}  // namespace topsctl
