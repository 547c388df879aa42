// The environment that a stack needs, derived from the paths of its packages' files, as a shell
// file.
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
  bool if_present = false;  // used only if it exists at login
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
      left_out;  // variables whose file is in no package, so that no value could be derived
  EnvironmentSettings settings;  // the operator's choices
  bool operator==(const Environment&) const = default;
};

// Derives every directory from `payload` (absolute paths of the stack's packages), without
// assumptions. Omits directories that the dynamic loader searches anyway (ld.so(8)) from
// LD_LIBRARY_PATH. Variables of the settings' profile override those of the stack, and `set` and
// `unset` override both; ignores an unknown profile.
Environment derive_environment(const Stack& stack, const std::vector<std::string>& payload,
                               const EnvironmentSettings& settings = {});

// A POSIX sh file: works under `set -eu`, is idempotent, leaves no empty entry in a search path,
// and quotes every value. Keeps the settings in a comment.
std::string shell_file(const Environment& environment);

Json to_json(const Environment& environment);

}  // namespace topsctl
