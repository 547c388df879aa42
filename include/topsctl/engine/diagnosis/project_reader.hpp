// The sources of a project: what of them was meant for other cards, and the patch that changes it.
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

// One place that a rewrite names.
struct ProjectPlace {
  std::string id;  // of the diagnosis
  Handling handling = Handling::change;
  std::string path;  // below the project
  int line = 0;
  std::string text;
  bool is_guarded = false;   // runs only where torch.cuda.is_available() says so
  bool has_rewrite = false;  // not: it is only reported
  bool is_applied = false;   // the patch changes it
  bool operator==(const ProjectPlace&) const = default;
};
inline auto members_of(ProjectPlace& value) {
  auto& [id, handling, path, line, text, is_guarded, has_rewrite, is_applied] = value;
  return std::tie(id, handling, path, line, text, is_guarded, has_rewrite, is_applied);
}

// A file that was not read, or is not patched.
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
  std::string path;  // below the project
  std::string before;
  std::string after;
  bool operator==(const ChangedSource&) const = default;
};
inline auto members_of(ChangedSource& value) {
  auto& [path, before, after] = value;
  return std::tie(path, before, after);
}

struct ProjectReading {
  std::size_t files = 0;             // that were read
  std::vector<ProjectPlace> places;  // in the order of paths and lines
  std::vector<PassedOver> passed_over;
  std::vector<ChangedSource> changes;
  std::string diff;  // of all of them, as `patch -p1` takes it
  bool operator==(const ProjectReading&) const = default;
};
inline auto members_of(ProjectReading& value) {
  auto& [files, places, passed_over, changes, diff] = value;
  return std::tie(files, places, passed_over, changes, diff);
}

struct ProjectOptions {
  RewriteTarget target;
  PatchStyle style = PatchStyle::settings;
  std::set<std::string> accepted;  // ids: also changes that are not certain
};

// Reads all Python, shell, YAML and JSON below a directory, by a process without rights. Links are
// not followed; .git, virtual environments and node_modules are passed over. Throws
// Error{bad_input} if it is no directory or has no source.
ProjectReading read_project(const std::filesystem::path& folder, const ProjectOptions& options,
                            const SandboxWish& wish);

// The same for some files alone: those that are sources, by their names.
ProjectReading read_sources(const std::vector<std::filesystem::path>& files,
                            const ProjectOptions& options, const SandboxWish& wish);

// Whether one of the sources names CUDA or NCCL, comments left out: of those among the words of a
// command first, then of the Python below the folder, as read_project() walks it. Looks at no more
// than 20,000 names and 256 MiB, so that data beside the sources cost nothing.
bool names_cuda(const std::filesystem::path& folder, const std::vector<std::string>& words);

// Worst first. With the shim, what it does is no problem, and all else is; without, what runs only
// where torch.cuda.is_available() says so. An id that the catalogue does not have is left out:
// --only and --except shorten it.
Judgement judge_project(const DiagnosisCatalogue& catalogue, const ProjectReading& reading,
                        bool has_shim, Language language);

}  // namespace topsctl
