// The result of one check.
#pragma once

#include <cstdint>
#include <string>

#include "topsctl/model/check_rule.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

enum class CheckStatus { pass, warn, fail, skipped, unknown };
std::string_view name(CheckStatus status);

struct CheckResult {
  std::string id;
  CheckLevel level = CheckLevel::files;
  CheckStatus status = CheckStatus::unknown;
  std::string observed;
  std::string expected;
  std::string hint;
  std::int64_t duration_ms = 0;
  bool is_problem = false;   // whether it counts against the stack; not part of the JSON
  std::string output = {};   // for a failed check: the output of its program, printable lines
  bool is_doubtful = false;  // of a warning: it leaves open whether all is as installed; not part
                             // of the JSON
  bool operator==(const CheckResult&) const = default;
};

Json to_json(const CheckResult& result);

}  // namespace topsctl
