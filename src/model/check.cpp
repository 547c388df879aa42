// JSON form of check results.
#include "topsctl/model/check.hpp"

#include <nlohmann/json.hpp>

namespace topsctl {

std::string_view name(CheckStatus status) {
  switch (status) {
    case CheckStatus::pass:
      return "pass";
    case CheckStatus::warn:
      return "warn";
    case CheckStatus::fail:
      return "fail";
    case CheckStatus::skipped:
      return "skipped";
    case CheckStatus::unknown:
      return "unknown";
  }
  return "unknown";
}

Json to_json(const CheckResult& result) {
  return {{"id", result.id},
          {"rung", name(result.level)},
          {"status", name(result.status)},
          {"observed", result.observed},
          {"expected", result.expected},
          {"hint", result.hint.empty() ? Json(nullptr) : Json(result.hint)},
          {"output", result.output.empty() ? Json(nullptr) : Json(result.output)},
          {"duration_ms", result.duration_ms}};
}

}  // namespace topsctl
