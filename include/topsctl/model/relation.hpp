// Relations between Debian packages: Depends, Pre-Depends, Breaks, Conflicts, Provides, Replaces
// (policy chapter 7).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

enum class VersionTest {
  any,
  earlier,
  at_most,
  equal,
  at_least,
  later
};                                          // "<<" "<=" "=" ">=" ">>"
std::string_view symbol(VersionTest test);  // empty for `any`

// "name:arch (>= 1.2) [amd64 !i386] <!nocheck>"
struct Relation {
  std::string name;
  std::string architecture;  // the qualifier after ':', "any" or an architecture; empty: none
  VersionTest test = VersionTest::any;
  std::string version;
  std::vector<std::string> architectures;  // of "[...]", with their "!"
  std::string profiles;                    // "<...> <...>", single blanks
  bool operator==(const Relation&) const = default;
};

// One clause of a field: any of the alternatives satisfies it.
struct Clause {
  std::vector<Relation> alternatives;
  bool operator==(const Clause&) const = default;
};

// The canonical form: "a | b (>= 1), c:any".
std::string to_text(const Relation& relation);
std::string to_text(const Clause& clause);
std::string to_text(const std::vector<Clause>& clauses);
// Whether a version meets the relation's test; ignores the name. An empty version, as of a Provides
// without one, meets only `any` (policy 7.5).
bool accepts(const Relation& relation, std::string_view version);
// Whether "[...]" includes this architecture ("amd64"); "linux-any" and the like are wildcards
// (policy 11.1.1).
bool concerns_architecture(const Relation& relation, std::string_view architecture);

}  // namespace topsctl
