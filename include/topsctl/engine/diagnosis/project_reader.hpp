// Finds code for other cards in the sources of a project, and makes a patch that changes it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "topsctl/engine/diagnosis/verdict.hpp"
#include "topsctl/engine/inspection/confined_reading.hpp"
#include "topsctl/model/catalogue/rewrite.hpp"

namespace topsctl {

constexpr Handling last_of(Handling /*type*/) {
  return Handling::cannot;
}

// One place that a rewrite reports.
struct ProjectPlace {
  std::string id;  // id of the diagnosis
  Handling handling = Handling::change;
  std::string path;  // relative to the project
  int line = 0;
  std::string text;
  bool is_guarded = false;   // runs only if torch.cuda.is_available()
  bool has_rewrite = false;  // false: it is only reported
  bool is_applied = false;   // the patch changes it
  bool operator==(const ProjectPlace&) const = default;
};
inline auto members_of(ProjectPlace& value) {
  auto& [id, handling, path, line, text, is_guarded, has_rewrite, is_applied] = value;
  return std::tie(id, handling, path, line, text, is_guarded, has_rewrite, is_applied);
}

// A file that was not read or is not patched.
struct PassedOver {
  std::string path;
  std::string why;
  bool operator==(const PassedOver&) const = default;
};
inline auto members_of(PassedOver& value) {
  auto& [path, why] = value;
  return std::tie(path, why);
}

struct ChangedSource {
  std::string path;  // relative to the project
  std::string before;
  std::string after;
  bool operator==(const ChangedSource&) const = default;
};
inline auto members_of(ChangedSource& value) {
  auto& [path, before, after] = value;
  return std::tie(path, before, after);
}

struct ProjectReading {
  std::size_t files = 0;             // number of files read
  std::vector<ProjectPlace> places;  // sorted by path and line
  std::vector<PassedOver> passed_over;
  std::vector<ChangedSource> changes;
  std::string diff;  // of all changes, for `patch -p1`
  bool operator==(const ProjectReading&) const = default;
};
inline auto members_of(ProjectReading& value) {
  auto& [files, places, passed_over, changes, diff] = value;
  return std::tie(files, places, passed_over, changes, diff);
}

struct ProjectOptions {
  RewriteTarget target;
  PatchStyle style = PatchStyle::settings;
  std::set<std::string> accepted;  // ids whose uncertain changes are accepted too
};

// Reads all Python, shell, YAML and JSON below a directory, in a process without privileges. Does
// not follow links; skips .git, virtual environments and node_modules. Throws Error{bad_input} if
// it is not a directory or has no sources.
ProjectReading read_project(const std::filesystem::path& folder, const ProjectOptions& options,
                            const SandboxWish& wish);

// The same for single files that are sources by their names.
ProjectReading read_sources(const std::vector<std::filesystem::path>& files,
                            const ProjectOptions& options, const SandboxWish& wish);

// Whether a source uses CUDA or NCCL names outside comments: first checks files among a command's
// words, then Python files below the directory, as read_project() walks it. Stops after 20,000
// names or 256 MiB, so that data beside the sources cost nothing.
bool names_cuda(const std::filesystem::path& folder, const std::vector<std::string>& words);

// Worst first. With the shim, places that it handles are not problems and all others are; without
// it, places that run only if torch.cuda.is_available() are not. Skips ids that are missing in the
// catalogue, which --only and --except shorten.
Judgement judge_project(const DiagnosisCatalogue& catalogue, const ProjectReading& reading,
                        bool has_shim, Language language);

}  // namespace topsctl
