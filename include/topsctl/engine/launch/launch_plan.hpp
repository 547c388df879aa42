// The command that starts a training: one process per card, with torchrun or without.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/launch/node_place.hpp"
#include "topsctl/engine/launch/shim.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// torchrun of the interpreter's torch; topsctl itself if torch is older than 1.9 and has none.
enum class LaunchEngine { torchrun, topsctl };
std::string_view name(LaunchEngine engine);

struct LaunchWishes {
  std::vector<std::string> words;  // script and arguments
  std::string python;
  LaunchEngine engine = LaunchEngine::torchrun;
  std::int64_t ranks = 0;
  std::string master_port;
  std::filesystem::path log_folder;                // of this attempt; absolute
  std::string own_program;                         // path of topsctl itself
  std::string stack;                               // as chosen; empty: the default
  std::string backend;                             // of the stack: "eccl"
  std::map<std::string, std::string> environment;  // the complete environment
  std::optional<NodePlace> place = {};             // among several hosts
  std::vector<ShimFile> files = {};                // written to the log folder's shim/
  std::int64_t engine_restarts = 0;  // restarts by torchrun itself: for all hosts together
};

struct LaunchPlan {
  LaunchEngine engine = LaunchEngine::torchrun;
  std::vector<std::string> words;
  std::string python;
  std::int64_t ranks = 0;
  std::string master_port;
  std::filesystem::path log_folder;
  std::string own_program;
  std::string stack;
  std::vector<std::string> argv;  // of the engine; without an engine, of each rank
  std::map<std::string, std::string> environment;
  std::optional<NodePlace> place = {};
  std::int64_t engine_restarts = 0;
};
Json to_json(const LaunchPlan& plan);

// Pure. Each rank is started by `topsctl rank`, which redirects its output to the rank's pipe in
// the log directory.
LaunchPlan plan_launch(const LaunchWishes& wishes);
// The environment of a rank that topsctl starts: the plan's, and the variables that torchrun would
// set.
std::map<std::string, std::string> environment_of_rank(const LaunchPlan& plan, std::int64_t rank);

// The pipe of a rank's output, in the log directory.
std::filesystem::path pipe_of_rank(const std::filesystem::path& log_folder,
                                   const std::string& rank);
// The pipe on which ranks report their processes: lines "RANK PID".
std::filesystem::path pipe_of_pids(const std::filesystem::path& log_folder);

}  // namespace topsctl
