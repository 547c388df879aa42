// Judges libraries: their versions, dependencies and exports.
#pragma once

#include "engine/checks/checked_machine.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/check_rule.hpp"

namespace topsctl {

void judge_library(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
void judge_links(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);

}  // namespace topsctl
