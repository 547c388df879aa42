// The way into an enclosure, for a process that becomes a program there.
#pragma once

#include "topsctl/host/system/process.hpp"

namespace topsctl {

// Enters the namespaces and the root, and gives up for good what would lead out: the calls of
// call_filter.hpp and all capabilities but those of container programs. The namespace of processes
// is for children alone: it was entered before a fork. False with errno set. Safe after fork.
bool enter_enclosure(const Enclosure& enclosure);

}  // namespace topsctl
