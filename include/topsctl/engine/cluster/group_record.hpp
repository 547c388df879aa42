// A training on several hosts, from its start to its record.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/cluster/host_answers.hpp"
#include "topsctl/engine/launch/launch_record.hpp"
#include "topsctl/engine/remote/remote_run.hpp"
#include "topsctl/model/catalogue/diagnosis.hpp"

namespace topsctl {

// Does not own the objects that it refers to.
struct GroupHost {
  Target target;
  Remote& remote;
  HostAnswer answer;
};

struct GroupRequest {
  LaunchRequest request;
  std::string run;                   // local name; the parts have it with a number
  std::filesystem::path log_folder;  // local; absolute; must not exist
  std::string directory;             // remote working directory
  std::string backend;               // of the stack: "eccl"
  NodePlace place;                   // for the first host
  std::string master_port;
  std::vector<GroupHost> hosts = {};
};

// Starts all parts, waits until none runs, fetches their logs and records, and determines the first
// cause across all hosts. `on_line` receives their output. Throws Error{bad_input} if the log
// directory exists.
LaunchRecord launch_on_hosts(
    const Host& host, const GroupRequest& wanted, const CarriedProgram& program, Language language,
    const std::function<void(const std::string& host, std::string_view line)>& on_line);

}  // namespace topsctl
