// The secrets among a launch's settings and arguments that its record omits.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/model/json.hpp"

namespace topsctl {

// Of a record as to_json(LaunchRecord) makes it: in the place of a secret stands its mark.
void leave_out_secrets(Json& record);

}  // namespace topsctl
