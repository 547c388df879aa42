// The secrets among a launch's settings and arguments that its record omits.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/model/json.hpp"

namespace topsctl {

// For a record of to_json(LaunchRecord): replaces each secret by its mark.
void leave_out_secrets(Json& record);

}  // namespace topsctl
