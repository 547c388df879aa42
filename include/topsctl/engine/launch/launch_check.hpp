// What is looked at before a training is started: the host, its environment, and the script.
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
  std::string python;               // the interpreter that was looked at; empty: none works
  std::vector<CheckResult> checks;  // of the stack and of the host's room
  std::vector<Finding> findings;  // on host, environment and sources, of severity warning or worse
  std::vector<std::string> refused;  // ids of what fails and was not accepted, each once
};

// Runs what the request's level wants; with "none" it only finds the interpreter. Never throws for
// what it finds. Throws Error{interrupted, terminated}.
LaunchCheck look_before_launch(const Host& host, const Stack& stack, const LaunchRequest& request,
                               const DiagnosisCatalogue& catalogue, Language language,
                               const SandboxWish& sandbox, EventSink* events);

// Adds what is wrong with the variables of the job, unless the request wants no preflight.
void look_at_settings(const std::map<std::string, std::string>& variables, const Stack& stack,
                      const LaunchRequest& request, LaunchCheck& preflight);

// The stack's wheels, and those that it wants unchanged.
std::vector<std::string> wheels_of(const Stack& stack);
// Of topsctl, the interpreter with the wheels that were asked for, and the stack's debs.
std::map<std::string, std::string> versions_of(const Host& host, const Stack& stack,
                                               const std::optional<PythonFacts>& python);

// Those among the words of a job that are files, also of "--config=FILE".
std::vector<std::filesystem::path> files_among(const std::vector<std::string>& words);
// Script and configuration among the words of a job: those that are files, with their digests.
std::map<std::string, std::string> digests_of_job(const std::vector<std::string>& words);

}  // namespace topsctl
