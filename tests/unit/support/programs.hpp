// Runs real programs for tests, with a plain environment.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "topsctl/host/system/process.hpp"

namespace topsctl {

inline std::map<std::string, std::string> plain_environment() {
  return {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
          {"LC_ALL", "C"}};
}

inline RunResult run_program(std::vector<std::string> argv, std::string input = {},
                             std::map<std::string, std::string> environment = plain_environment()) {
  Command command;
  command.argv = std::move(argv);
  command.environment = std::move(environment);
  command.input = std::move(input);
  return SystemRunner().run(command);
}

// Its output; the test fails if the program does.
inline std::string output_of(std::vector<std::string> argv, std::string input = {}) {
  const std::string program = argv.front();
  const RunResult result = run_program(std::move(argv), std::move(input));
  EXPECT_TRUE(result.ok()) << program << ": " << result.ending() << "\n" << result.output;
  return result.output;
}

}  // namespace topsctl
