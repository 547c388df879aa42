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

// Of the newest install in effect whose packages still lie where it recorded them. They may have
// been replaced since: the caller compares versions. Throws Error{usage} if there is no such
// install.
RepairSource repair_source(const Host& host);

// Words of a command line: the packages of the newest install, whatever became of it, that still
// lie where they lay. Empty: none do, or the history cannot be read.
std::vector<std::string> known_bundle(const Host& host);

}  // namespace topsctl
