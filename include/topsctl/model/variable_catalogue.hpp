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

enum class VariableType {
  boolean,
  integer,
  text,
  choice,  // one of the values that were seen, in any case
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
  std::vector<std::string> values;  // that were seen
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> most;
  std::string generation;     // "t2x", "s60", "all"
  std::string backend;        // of the stacks that it concerns: "nccl"; empty: of all
  bool is_of_process = true;  // false: only the container runtime reads it
  std::string source;         // where it was seen
  bool operator==(const KnownVariable&) const = default;
};

// A name that begins so is of the stacks with this backend, empty: of all.
struct VariablePrefix {
  std::string text;
  std::string backend;
  bool operator==(const VariablePrefix&) const = default;
};

// What holds between two variables: where one has a value, another has one, or does not.
struct VariableRelation {
  enum class Wish { is, is_not, is_set };
  std::string name;
  std::string value;
  std::string other;
  Wish wish = Wish::is;
  std::string wanted;    // of the other; empty: any
  bool is_error = true;  // false: it runs all the same
  std::string why;       // with its source
  std::string backend;
  bool operator==(const VariableRelation&) const = default;

  // What is wanted, in words: "NCCL_IB_HCA set".
  std::string wanted_text() const;
};

struct VariableCatalogue {
  std::map<std::string, KnownVariable, std::less<>> variables;
  std::vector<VariablePrefix> prefixes;
  std::vector<VariableRelation> relations;
  // Shell files that guides and scripts for the stacks leave; "~/x" in each home.
  std::vector<std::string> files;
  std::vector<std::string>
      folder_words;  // lower case, in the paths of folders that are the stacks'

  const KnownVariable* find(std::string_view name) const;  // nullptr: not in it
  // Whether the name is in it, begins with a prefix, or ends in _VISIBLE_DEVICES: no other variable
  // is read.
  bool concerns(std::string_view name) const;
  // Whether it concerns the stacks of this backend.
  bool is_of(std::string_view name, std::string_view backend) const;
  // A known name of such a stack that this unknown one is probably meant to be.
  std::optional<std::string> nearly(std::string_view name, std::string_view backend) const;
};

// src/data/variables/*.json
const VariableCatalogue& variable_catalogue();
// Adds the variables of one such file. Throws Error{bad_stack}.
void add_variables(std::string_view json, const std::string& source, VariableCatalogue& catalogue);

// Whether it holds for these values of the other variable, of all places that may be read together.
bool holds(const VariableRelation& relation, const std::vector<std::string>& values_of_other);

// Why this cannot be the variable's value; empty: it can.
std::string objection_to(const KnownVariable& variable, std::string_view value);

}  // namespace topsctl
