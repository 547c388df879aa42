// Messages before and after a launch.
#pragma once

#include <map>
#include <string>

#include "cli/render.hpp"
#include "topsctl/engine/launch/launch_check.hpp"
#include "topsctl/engine/launch/launch_record.hpp"

namespace topsctl {

// The checks, and the findings that prevent the start.
std::string launch_check_text(const LaunchCheck& preflight, const Style& style);
// Why nothing was started, and the options that start it anyway.
std::string not_started_text(const LaunchCheck& preflight);
// The command, and the changes of the environment.
std::string plan_text(const LaunchPlan& plan, const LaunchRecord& begun, const Style& style);
// The first cause of a failure, and how it ended.
// What the doctor says of the last attempt; empty if it was not asked.
std::string judgement_text(const LaunchRecord& record, Language language, const Style& style);
std::string end_text(const LaunchRecord& record, Language language, const Style& style);

}  // namespace topsctl
