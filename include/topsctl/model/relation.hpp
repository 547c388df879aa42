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

// One clause of a field: any of the alternatives fulfils it.
struct Clause {
  std::vector<Relation> alternatives;
  bool operator==(const Clause&) const = default;
};

// dpkg refuses a package whose versions break policy 5.6.12, but bears it in its own status file
// that a version does not begin with a digit or holds characters that are not allowed.
enum class RelationSource { package, status_file };

// A field's value, folded lines and comments included; empty or blank: no clauses. Takes what dpkg
// takes, and "[...]" and "<...>" of source packages: names become lower case, the deprecated "<"
// and ">" mean "<=" and ">=", a version alone means "=". Throws Error{bad_package} naming `subject`
// for all else (an empty clause, too, is one that dpkg refuses), and for more than 1 MiB or 10,000
// relations.
std::vector<Clause> parse_relations(std::string_view field, const std::string& subject,
                                    RelationSource source = RelationSource::package);
// The canonical form: "a | b (>= 1), c:any".
std::string to_text(const Relation& relation);
std::string to_text(const Clause& clause);
std::string to_text(const std::vector<Clause>& clauses);
// Whether a version meets the relation's test; the name is not looked at. An empty version, that of
// a Provides without one, meets none but `any` (policy 7.5).
bool accepts(const Relation& relation, std::string_view version);
// Whether "[...]" lets the relation count on this architecture ("amd64"); "linux-any" and the like
// are wildcards (policy 11.1.1).
bool concerns_architecture(const Relation& relation, std::string_view architecture);

}  // namespace topsctl
