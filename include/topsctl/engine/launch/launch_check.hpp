// The preflight of a training: checks the host, its environment, and the script.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/inspection/confined_reading.hpp"
#include "topsctl/engine/launch/launch_request.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/catalogue/diagnosis.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

struct LaunchCheck {
  std::string python;               // the interpreter that was checked; empty: none works
  std::vector<CheckResult> checks;  // of the stack and of the host's free space
  std::vector<Finding> findings;  // on host, environment and sources, of severity warning or worse
  std::vector<std::string> refused;  // ids of failures that were not accepted, each once
};

// Runs the checks up to the request's level; with "none" it only finds the interpreter. Never
// throws because of what it finds. Throws Error{interrupted, terminated}.
LaunchCheck look_before_launch(const Host& host, const Stack& stack, const LaunchRequest& request,
                               const DiagnosisCatalogue& catalogue, Language language,
                               const SandboxWish& sandbox, EventSink* events);

// Adds findings on the job's variables; they are no reason to refuse it if the request disables the
// preflight.
void look_at_settings(const std::map<std::string, std::string>& variables, const Stack& stack,
                      const LaunchRequest& request, LaunchCheck& preflight);

// The stack's wheels, and the distributions that it does not change.
std::vector<std::string> wheels_of(const Stack& stack);
// Versions of topsctl, the interpreter with the given wheels, and the stack's debs.
std::map<std::string, std::string> versions_of(const Host& host, const Stack& stack,
                                               const std::optional<PythonFacts>& python);

// The words of a job that are files, including FILE of "--config=FILE".
std::vector<std::filesystem::path> files_among(const std::vector<std::string>& words);
// The same files (script and configuration) with their digests.
std::map<std::string, std::string> digests_of_job(const std::vector<std::string>& words);

}  // namespace topsctl
