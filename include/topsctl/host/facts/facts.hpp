// Gathers what the planner may know of a machine.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// "ubuntu 20.04", from os-release(5); "unknown" if there is none.
std::string os_name(const Host& host);

// The stack's debs of these packages, and others by name, whatever their state.
std::map<std::string, InstalledDeb> debs_of_stack(const Host& host, const Stack& stack,
                                                  const std::vector<TargetPackage>& packages,
                                                  const std::vector<std::string>& others = {});

// Looks at the machine without changing anything; of dpkg's database it selects what stack and
// bundle speak of. `python`: the one interpreter to look at; empty: those that the stack names.
// `other_debs`, `other_wheels`: names beside those of the stack. Throws Error{host_unfit} if there
// is no dpkg, or the named interpreter does not work.
HostFacts read_host_facts(const Host& host, const DpkgDatabase& database, const Stack& stack,
                          const std::string& python,
                          const std::vector<std::string>& other_debs = {},
                          const std::vector<std::string>& other_wheels = {});

}  // namespace topsctl
