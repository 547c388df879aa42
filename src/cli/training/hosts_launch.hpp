// `topsctl launch --hosts`: one training on several hosts over SSH.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "cli/targets/target_options.hpp"
#include "cli/training/cluster_launch.hpp"
#include "topsctl/engine/launch/launch_check.hpp"
#include "topsctl/engine/launch/launch_request.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

struct HostsOptions {
  TargetOptions where;
  std::string master;     // HOST[:PORT] of the rendezvous; empty: the first host
  std::string directory;  // there; empty: the working directory here
};

void add_hosts_options(OptionTable& table, HostsOptions& options);
bool is_for_hosts(const HostsOptions& options);
// Throws Error{usage} for options for several hosts if no hosts are named.
void require_hosts(const OptionTable& table, const HostsOptions& options);

struct HostsLaunch {
  Output output;
  LaunchCheck preflight;  // whether the hosts fit together
  Json run = nullptr;
  Json record = nullptr;
  Json cluster = nullptr;
};

// Throws Error{usage} for incompatible options, Error{unreachable, some_failed} if a host cannot be
// queried: then nothing is started.
HostsLaunch run_hosts_launch(const HostsOptions& options, const ClusterOptions& layout,
                             const LaunchRequest& request, const Stack& stack,
                             const OptionTable& table, bool is_dry, Session& session);

}  // namespace topsctl
