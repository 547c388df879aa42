// The whole of an install, from paths on the command line to a committed transaction.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/executor.hpp"
#include "topsctl/engine/planner.hpp"

namespace topsctl {

struct InstallRequest {
  std::vector<std::filesystem::path> bundle;
  std::string stack;       // name or file; empty: whichever fits the bundle
  std::string components;  // comma-separated ids; empty: all
  std::string python;      // empty: the stack's choice
  SystemPython system_python = SystemPython::refuse;
  bool dry_run = false;
  std::int64_t lock_timeout_ms = 120'000;
  Requester requester;
};

// Throws Error if nothing was changed; later failures are in the result.
Execution install(const Host& host, const InstallRequest& request, EventFan& events);

// Refuses, before anything else, a root that is no Debian-like system and, unless only planning, a
// user that is not root. Throws Error{host_unfit, permission}.
enum class Purpose { look, change };
void require_usable_host(const Host& host, Purpose purpose);

}  // namespace topsctl
