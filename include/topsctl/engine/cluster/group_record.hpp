// A training on several hosts from its start to its record.
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

// What it refers to is not its own.
struct GroupHost {
  Target target;
  Remote& remote;
  HostAnswer answer;
};

struct GroupRequest {
  LaunchRequest request;
  std::string run;                   // its name here; the parts have it with their numbers
  std::filesystem::path log_folder;  // here; may not be there; absolute
  std::string directory;             // there
  std::string backend;               // of the stack: "eccl"
  NodePlace place;                   // of the first host
  std::string master_port;
  std::vector<GroupHost> hosts = {};
};

// Starts all parts, stays until none runs, brings their logs and records here, and says which
// cause came first on all hosts. `on_line` gets what they say meanwhile. Throws Error{bad_input}
// for a log folder that is there.
LaunchRecord launch_on_hosts(
    const Host& host, const GroupRequest& wanted, const CarriedProgram& program, Language language,
    const std::function<void(const std::string& host, std::string_view line)>& on_line);

}  // namespace topsctl
