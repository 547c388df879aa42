// Finds the Python interpreters of a host.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// What a user other than root or the caller can change of an interpreter: itself, its library, or a
// directory that it takes modules from at each start; empty: nothing.
std::string open_part_of(const Host& host, const std::string& interpreter);
// The interpreter, and by which part of it.
std::string described(const std::string& interpreter, const std::string& part);

// Where a shell on that host finds a program; returns a name with a directory, or a name that is
// not found, unchanged.
std::string found_in_path(const Host& host, const std::string& name);

// The named interpreters, then those of `usual`, then python3 and python3.N of /usr/bin,
// /usr/local/bin and /opt/*/bin. Runs each program once, under its first name; a virtual
// environment (PEP 405) counts as a separate program. `wheels` has every distribution, by name and
// version. Skips, and reports to `left_out`, an interpreter that does not answer, and one that was
// not named and that a user other than root or the caller can change: it would run with the
// caller's rights. Runs at most 16, and starts none after two minutes.
std::vector<PythonFacts> find_interpreters(
    const Host& host, const std::vector<std::string>& named, const std::vector<std::string>& usual,
    const std::function<void(const std::string& why)>& left_out);

}  // namespace topsctl
