// Gathers what the planner may know of a machine.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

// "ubuntu 20.04", from os-release(5); "unknown" if there is none.
std::string os_name(const Host& host);

// Looks at the machine without changing anything. `python`: the one interpreter to look at; empty:
// those that the stack names. Throws Error{host_unfit} if there is no dpkg, or the named
// interpreter does not work.
// `other_debs`: names beside those of the stack.
HostFacts read_host_facts(const Host& host, const Stack& stack, const std::string& python,
                          const std::vector<std::string>& other_debs = {});

}  // namespace topsctl
