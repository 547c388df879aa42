// The environment that a stack needs: derived from where its packages put their files, written as a
// shell file.
#pragma once

#include <string>
#include <vector>

#include "topsctl/model/environment_settings.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

struct EnvironmentVariable {
  std::string name;
  std::string value;
  Grade grade = Grade::attested;
  std::string source;
  bool operator==(const EnvironmentVariable&) const = default;
};

struct SearchPathEntry {
  std::string directory;
  bool if_present = false;  // taken only when it exists at login
  bool operator==(const SearchPathEntry&) const = default;
};

struct SearchPath {
  std::string name;
  std::vector<SearchPathEntry> entries;
  bool operator==(const SearchPath&) const = default;
};

struct Environment {
  std::string stack;
  std::string file;
  std::vector<EnvironmentVariable> variables;
  std::vector<SearchPath> paths;
  std::vector<std::string>
      left_out;  // names whose file no package has, so that no value could be derived
  EnvironmentSettings settings;  // what of it the operator has chosen
  bool operator==(const Environment&) const = default;
};

// Takes every directory from `payload` (absolute paths of the stack's packages), none from an
// assumption. Directories that the dynamic loader searches anyway (ld.so(8)) are left out of
// LD_LIBRARY_PATH. The variables of the settings' profile come over those of the stack, and what is
// set and unset over both; a profile that the stack does not have is left out.
Environment derive_environment(const Stack& stack, const std::vector<std::string>& payload,
                               const EnvironmentSettings& settings = {});

// A POSIX sh file: works under `set -eu`, changes nothing when read twice, leaves no empty entry in
// a search path, and quotes every value. Keeps the settings in a comment.
std::string shell_file(const Environment& environment);

Json to_json(const Environment& environment);

}  // namespace topsctl
