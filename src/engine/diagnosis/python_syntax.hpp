// Syntax errors that neighbouring tokens show: Python 2, templates and broken blocks.
#pragma once

#include <optional>
#include <string>

namespace topsctl {

struct PythonCode;

struct SyntaxProblem {
  std::string what;
  int line = 0;
};

// Nothing for every text that Python 3 accepts; detects most invalid ones.
std::optional<SyntaxProblem> syntax_problem(const PythonCode& code);

}  // namespace topsctl
