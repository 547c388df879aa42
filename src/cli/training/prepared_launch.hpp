// A launch on this host before it starts.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "topsctl/engine/launch/launch_check.hpp"
#include "topsctl/engine/launch/launch_plan.hpp"
#include "topsctl/engine/launch/launch_record.hpp"
#include "topsctl/engine/launch/launch_request.hpp"
#include "topsctl/model/catalogue/diagnosis.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

struct PreparedLaunch {
  LaunchWishes wishes;
  LaunchCheck preflight;
  LaunchRecord begun = {};  // set by complete_launch()
  std::vector<std::string> warnings = {};
};

// Collects environment, files and ranks, and runs the preflight unless `is_checked`. Sets the
// request's shim to always or never. Throws Error{host_unfit} without a working interpreter.
PreparedLaunch prepared_launch(LaunchRequest& request, const std::string& run, const Stack& stack,
                               const DiagnosisCatalogue& catalogue, bool is_checked,
                               Session& session);

// Chooses the engine and the port, and begins the record. Throws Error{host_unfit, busy}.
void complete_launch(PreparedLaunch& prepared, const LaunchRequest& request, const std::string& run,
                     const Stack& stack, const Session& session);

}  // namespace topsctl
