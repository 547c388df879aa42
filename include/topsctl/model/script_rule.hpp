// The rules by which lines of maintainer scripts are judged: data, each with what it means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/finding.hpp"

namespace topsctl {

struct ScriptRule {
  // A line that matches is a finding, or a script of the shell in which no line matches.
  enum class When { matches, missing };
  Finding finding;  // its id, severity, title, cause and remedy; no subject, no evidence
  When when = When::matches;
  std::vector<std::string> applies_to;  // "preinst", ...; empty: all
  std::string pattern;                  // of one line, RE2 syntax; its names are filled in
  std::string unless;                   // a line that matches this is harmless; empty: none is
  bool unless_own = false;  // a line whose paths are all of the package itself is harmless
  std::vector<std::string> unless_found;      // earlier rules that say it all of a line they match
  std::vector<std::string> example_match;     // lines that the rule must find, for tests
  std::vector<std::string> example_no_match;  // lines that it must pass over, for tests
  bool operator==(const ScriptRule&) const = default;
};

// The rules that are built in (src/data/rules/maintainer-scripts.json), by severity.
const std::vector<ScriptRule>& script_rules();

// Reads a file of rules: {"names": {NAME: pattern}, "rules": [...]}; {NAME} in a pattern stands for
// that name's pattern, which may use names before it. Throws Error{bad_stack}.
std::vector<ScriptRule> parse_script_rules(std::string_view json, const std::string& source);

}  // namespace topsctl
