// Which files of a project are sources.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/diagnosis/source_rewriter.hpp"
#include "topsctl/engine/diagnosis/project_reader.hpp"

namespace topsctl {

struct ProjectFile {
  std::filesystem::path file;
  std::string path;  // below the project
  SourceKind kind = SourceKind::python;
  std::filesystem::path found_below = {};  // the project; empty: the file was given
};

struct ProjectFiles {
  std::vector<ProjectFile> files;  // sorted by path
  std::vector<PassedOver> passed_over;
};

// Throws Error{bad_input}.
ProjectFiles find_project_files(const std::filesystem::path& folder);

// Those of the files that are sources by name; follows links.
ProjectFiles sources_among(const std::vector<std::filesystem::path>& files);

}  // namespace topsctl
