// Looks a program up and gives this process over to it.
#include "topsctl/host/system/exec_program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/startup.hpp"

namespace topsctl {

namespace {

std::vector<std::string> candidates_for(const std::string& program,
                                        const std::map<std::string, std::string>& environment) {
  if (program.find('/') != std::string::npos) return {program};
  const auto path = environment.find("PATH");
  std::vector<std::string> candidates;
  for (const std::string& folder :
       split(path == environment.end() ? "/usr/bin:/bin" : path->second, ':')) {
    candidates.push_back(concat(folder.empty() ? "." : folder, "/", program));
  }
  return candidates;
}

std::vector<char*> argument_pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void exec_program(const std::vector<std::string>& argv,
                  const std::map<std::string, std::string>& environment) {
  if (argv.empty() || argv.front().empty()) {
    throw Error(ErrorCode::usage, "no program to run", "give it after '--'");
  }
  std::vector<std::string> words = argv;
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(concat(name, "=", value));
  const std::vector<char*> word_pointers = argument_pointers(words);
  const std::vector<char*> variable_pointers = argument_pointers(variables);
  int reason = ENOENT;
  for (const std::string& candidate : candidates_for(argv.front(), environment)) {
    struct stat status {};
    if (::stat(candidate.c_str(), &status) != 0) {
      if (errno != ENOENT && errno != ENOTDIR) reason = errno;
      continue;
    }
    if (S_ISDIR(status.st_mode) || ::access(candidate.c_str(), X_OK) != 0) {
      reason = EACCES;
      continue;
    }
    throw_if_interrupted();
    unwatch_signals();
    restore_umask();
    restore_descriptor_limit();
    ::execve(candidate.c_str(), word_pointers.data(), variable_pointers.data());
    reason = errno;
    break;
  }
  if (reason == ENOENT || reason == ENOTDIR) {
    throw Error(ErrorCode::usage, format("no such program: {}", in_quotes(argv.front())),
                "give its path, or the name of a program in PATH");
  }
  throw system_error(reason, "run", argv.front(), ErrorCode::usage);
}

}  // namespace topsctl
