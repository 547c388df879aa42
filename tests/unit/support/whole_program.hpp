// Runs the whole program within the test and catches what it prints.
#pragma once

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "topsctl/cli/app.hpp"

namespace topsctl {

struct ProgramResult {
  int status = -1;
  std::string out;
  std::string err;
};

inline ProgramResult run_topsctl(std::vector<std::string> arguments) {
  std::ostringstream out;
  std::ostringstream err;
  std::streambuf* const before_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const before_err = std::cerr.rdbuf(err.rdbuf());
  arguments.insert(arguments.begin(), "topsctl");
  ProgramResult result;
  result.status = run(arguments);
  std::cout.rdbuf(before_out);
  std::cerr.rdbuf(before_err);
  result.out = out.str();
  result.err = err.str();
  return result;
}

}  // namespace topsctl
