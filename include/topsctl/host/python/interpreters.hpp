// Finds the Python interpreters of a machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// Whether somebody else than root or the caller can change the file, or a folder that leads to it;
// true for what is not there. Who runs it gives them the caller's rights. Throws Error{host_unfit}
// for a loop of links.
bool can_others_change(const Host& host, const std::string& path);

// Where a shell on that machine finds a program; a name with a folder stays as it is, and so does
// one that is nowhere.
std::string found_in_path(const Host& host, const std::string& name);

// The interpreters named, then those of `usual`, then python3 and python3.N of /usr/bin,
// /usr/local/bin and /opt/*/bin. Each program is asked once, under the first of its names; a
// virtual environment (PEP 405) counts as a program of its own. `wheels` has every distribution, by
// name and version. One that does not answer is left out. So is one that was not named and that
// somebody else than root or the caller can change: it would be run with the caller's rights. Both
// are told to `left_out`. At most 16 are asked, and none after two minutes.
std::vector<PythonFacts> find_interpreters(
    const Host& host, const std::vector<std::string>& named, const std::vector<std::string>& usual,
    const std::function<void(const std::string& why)>& left_out);

}  // namespace topsctl
