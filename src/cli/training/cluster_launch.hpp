// topsctl launch --engine: a training on many hosts, as files for a scheduler.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "topsctl/engine/cluster/rank_layout.hpp"
#include "topsctl/engine/launch/launch_request.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

struct ClusterOptions {
  std::string engine;  // empty: only this host
  std::string hosts;
  std::int64_t host_count = 0;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t micro_batch = 0;
  std::int64_t global_batch = 0;
  std::string emit_folder;
  bool submit = false;
  std::string job_name;
  std::string image;
  std::vector<std::string> volumes;
  std::vector<std::string> engine_arguments;
};

// Letters, digits, '-' and '_', which schedulers accept.
bool is_job_name(const std::string& name);
void add_cluster_options(OptionTable& table, ClusterOptions& options);
// Throws Error{usage} for an option of an engine if none is chosen, except the layout with hosts,
// and for an option that the engine does not support.
void require_engine(const OptionTable& table, const ClusterOptions& options, bool has_hosts);
// --tp and the like for these hosts. Throws Error{usage} for impossible layouts.
RankLayout layout_of(const ClusterOptions& options, std::int64_t hosts, std::int64_t ranks_each);
// `hosts` by name; empty: the scheduler chooses them.
std::string layout_text(const RankLayout& layout, const std::vector<std::string>& hosts,
                        const Style& style);
// An output without JSON, and members of a launch's.
struct ClusterLaunch {
  Output output;
  Json cluster;
  bool was_started = false;
};
ClusterLaunch run_cluster_launch(const ClusterOptions& options, const LaunchRequest& request,
                                 const Stack& stack, const OptionTable& table, bool is_dry,
                                 Session& session);

}  // namespace topsctl
