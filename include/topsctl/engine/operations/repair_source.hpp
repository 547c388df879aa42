// What a repair takes where the operator names nothing.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct RepairSource {
  std::vector<std::string> bundle;  // absolute paths; all are there
  std::string stack;                // the stack file that was given then; empty: none was
  std::string python;               // the interpreter of its wheels; empty: it had none
};

// Of the newest install in effect that recorded where its packages lay, as long as they still lie
// there: they may be others by now, as the versions tell. Throws Error{usage} if there is none.
RepairSource repair_source(const Host& host);

}  // namespace topsctl
