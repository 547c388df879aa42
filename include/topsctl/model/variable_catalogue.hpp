// What is known of the environment variables that concern the stacks, read from data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// attested: in the vendor's own material; plausible: of others, and meant to be there; unknown: in
// guides only, or in nothing at all; wrong: known to do harm.
enum class VariableGrade { attested, plausible, unknown, wrong };
std::string_view name(VariableGrade grade);

enum class VariableType { boolean, integer, text, list, folder, file, devices, search_path };
std::string_view name(VariableType type);

struct KnownVariable {
  std::string name;
  VariableGrade grade = VariableGrade::unknown;
  VariableType type = VariableType::text;
  std::vector<std::string> values;  // that were seen
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> most;
  std::string generation;     // "t2x", "s60", "all"
  bool is_of_process = true;  // false: only the container runtime reads it
  std::string source;         // where it was seen
  bool operator==(const KnownVariable&) const = default;
};

struct VariableCatalogue {
  std::map<std::string, KnownVariable, std::less<>> variables;
  std::vector<std::string> prefixes;  // of names that are the stacks'
  // Shell files that guides and scripts for the stacks leave; "~/x" in each home.
  std::vector<std::string> files;
  std::vector<std::string>
      folder_words;  // lower case, in the paths of folders that are the stacks'

  const KnownVariable* find(std::string_view name) const;  // nullptr: not in it
  // Whether the name is in it, begins with a prefix, or ends in _VISIBLE_DEVICES: no other variable
  // is read.
  bool concerns(std::string_view name) const;
  // A known name of the stacks that this unknown one is probably meant to be.
  std::optional<std::string> nearly(std::string_view name) const;
};

// src/data/variables/*.json
const VariableCatalogue& variable_catalogue();
// Adds the variables of one such file. Throws Error{bad_stack}.
void add_variables(std::string_view json, const std::string& source, VariableCatalogue& catalogue);

// Why this cannot be the variable's value; empty: it can.
std::string objection_to(const KnownVariable& variable, std::string_view value);

}  // namespace topsctl
