// Known environment variables of the stacks, read from data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// attested: in the vendor's own material; plausible: from other sources, but correct; unknown: only
// in guides, or nowhere; wrong: known to be harmful.
enum class VariableGrade { attested, plausible, unknown, wrong };
std::string_view name(VariableGrade grade);

enum class VariableType {
  boolean,
  integer,
  text,
  choice,  // one of the known values, in any case
  list,
  folder,
  file,
  devices,
  search_path
};
std::string_view name(VariableType type);

struct KnownVariable {
  std::string name;
  VariableGrade grade = VariableGrade::unknown;
  VariableType type = VariableType::text;
  std::vector<std::string> values;  // known values
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> most;
  std::string generation;     // "t2x", "s60", "all"
  std::string backend;        // it applies to stacks of this backend: "nccl"; empty: to all
  bool is_of_process = true;  // false: only the container runtime reads it
  std::string source;         // where it was found
  bool operator==(const KnownVariable&) const = default;
};

// Names with this prefix belong to stacks of this backend; empty: to all.
struct VariablePrefix {
  std::string text;
  std::string backend;
  bool operator==(const VariablePrefix&) const = default;
};

// A relation between two variables: if one has a value, the other must or must not have one.
struct VariableRelation {
  enum class Wish { is, is_not, is_set };
  std::string name;
  std::string value;
  std::string other;
  Wish wish = Wish::is;
  std::string wanted;    // of the other; empty: any
  bool is_error = true;  // false: it still works
  std::string why;       // with its source
  std::string backend;
  bool operator==(const VariableRelation&) const = default;

  // The requirement in words: "NCCL_IB_HCA set".
  std::string wanted_text() const;
};

struct VariableCatalogue {
  std::map<std::string, KnownVariable, std::less<>> variables;
  std::vector<VariablePrefix> prefixes;
  std::vector<VariableRelation> relations;
  // Shell files that guides and scripts for the stacks create; "~/x" in each home.
  std::vector<std::string> files;
  std::vector<std::string> folder_words;  // lower case, parts of paths that belong to the stacks

  const KnownVariable* find(std::string_view name) const;  // nullptr: unknown
  // Whether the name is in it, begins with a prefix, or ends in _VISIBLE_DEVICES: other variables
  // are not read.
  bool concerns(std::string_view name) const;
  // Whether it applies to stacks of this backend.
  bool is_of(std::string_view name, std::string_view backend) const;
  // The known name for such a stack that this unknown name is probably a misspelling of.
  std::optional<std::string> nearly(std::string_view name, std::string_view backend) const;
};

// src/data/variables/*.json
const VariableCatalogue& variable_catalogue();
// Adds the variables of one such file. Throws Error{bad_stack}.
void add_variables(std::string_view json, const std::string& source, VariableCatalogue& catalogue);

// Whether it holds for these values of the other variable, from all places that may be read
// together.
bool holds(const VariableRelation& relation, const std::vector<std::string>& values_of_other);

// Why this cannot be the variable's value; empty: it can.
std::string objection_to(const KnownVariable& variable, std::string_view value);

}  // namespace topsctl
