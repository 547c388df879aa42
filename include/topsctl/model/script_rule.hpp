// The rules that judge lines of maintainer scripts: data, each with its finding.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/finding.hpp"

namespace topsctl {

// In `applies_to`: a program of the package that its maintainer scripts run.
inline constexpr const char* called_program = "called-program";

struct ScriptRule {
  // A finding for each matching line, or for a shell script without a matching line.
  enum class When { matches, missing };
  Finding finding;  // id, severity, title, cause and remedy; no subject, no evidence
  When when = When::matches;
  std::vector<std::string> applies_to;  // "preinst", ...; empty: all
  std::string pattern;                  // for one line, RE2 syntax; names expanded
  std::string unless;                   // a line that matches this is harmless; empty: no exception
  bool unless_own = false;  // a line whose paths all belong to the package itself is harmless
  std::vector<std::string> unless_found;      // earlier rules that replace this one on lines that
                                              // they match
  std::vector<std::string> example_match;     // lines that the rule must find, for tests
  std::vector<std::string> example_no_match;  // lines that it must ignore, for tests
  bool operator==(const ScriptRule&) const = default;
};

// The built-in rules (src/data/rules/maintainer-scripts.json), by severity.
const std::vector<ScriptRule>& script_rules();

// Parses a file of rules: {"names": {NAME: pattern}, "rules": [...]}; {NAME} in a pattern is
// replaced by that name's pattern, which may use earlier names. Throws Error{bad_stack}.
std::vector<ScriptRule> parse_script_rules(std::string_view json, const std::string& source);

}  // namespace topsctl
