// Collects the facts of a host for the planner.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// "ubuntu 20.04", from os-release(5); "unknown" without that file.
std::string os_name(const Host& host);

// The stack's debs among these packages, and others by name, in any state.
std::map<std::string, InstalledDeb> debs_of_stack(const Host& host, const Stack& stack,
                                                  const std::vector<TargetPackage>& packages,
                                                  const std::vector<std::string>& others = {});

// Whether only root can change an interpreter: a stack or a record may name any. Those that the
// operator names are always run.
bool is_trusted_interpreter(const Host& host, const std::string& interpreter);

// Reads the host without changing it; selects the part of dpkg's database that stack and bundle
// name. `python`: the only interpreter to check; empty: those of the stack. `other_debs`,
// `other_wheels`: names in addition to those of the stack. Throws Error{host_unfit} if there is no
// dpkg, or the given interpreter does not work.
HostFacts read_host_facts(const Host& host, const DpkgDatabase& database, const Stack& stack,
                          const std::string& python,
                          const std::vector<std::string>& other_debs = {},
                          const std::vector<std::string>& other_wheels = {});

}  // namespace topsctl
