// Runs the checks that a stack declares.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/host.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

struct Verification {
  std::string python;  // the interpreter that was looked at; empty: none
  std::vector<CheckResult> checks;
};

// Never throws for what a check finds. `python`: the interpreter to check; empty: the stack's first
// that has the stack's wheel, else the first that works. Error{interrupted, terminated} passes
// through.
Verification run_checks(const Host& host, const Stack& stack, const std::vector<CheckRule>& checks,
                        const std::string& python);

// Whether a wheel is installed completely: every file of its RECORD is there with its hash, and its
// installer has signed off.
CheckResult check_installed_wheel(const Host& host, const std::string& name,
                                  const std::string& python);

}  // namespace topsctl
