// Patches the sources of a project as one transaction.
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
  std::vector<std::string> files;  // files with new content, relative to the project
};

// Replaces the content of all files or of none; keeps owner, mode and attributes. Skips, with a
// warning, files that changed since they were read or that have several names. Rolls back
// interrupted patches first. Throws Error if nothing was changed: Error{permission} if another user
// owns a file or its directory, Error{host_unfit} while an install is unfinished.
AppliedPatch apply_patch(const Host& host, const PatchRequest& request,
                         const ProjectReading& reading, EventFan& events);

}  // namespace topsctl
