// Changes the sources of a project as one transaction.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/diagnosis/project_reader.hpp"
#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

struct PatchRequest {
  std::filesystem::path project;
  std::int64_t lock_timeout_ms = 120'000;
  Requester requester;
};

struct AppliedPatch {
  Execution execution;
  std::vector<std::string> files;  // that have their new content now, below the project
};

// Gives each file its new content, or none of them; owner, mode and attributes stay. A file that
// has changed since it was read, or has several names, is left out, with a warning. Earlier patches
// that were cut off are restored first. Throws Error if nothing was changed: Error{permission}
// where a file or its folder is another user's, Error{host_unfit} while an install is unfinished.
AppliedPatch apply_patch(const Host& host, const PatchRequest& request,
                         const ProjectReading& reading, EventFan& events);

}  // namespace topsctl
