// Parses relations between Debian packages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/relation.hpp"

namespace topsctl {

// dpkg refuses a package whose versions break policy 5.6.12, but bears it in its own status file
// that a version does not begin with a digit or holds characters that are not allowed.
enum class RelationSource { package, status_file };

// What is wrong with a version (policy 5.6.12, as dpkg checks it); empty if nothing is.
std::string_view version_fault(std::string_view version,
                               RelationSource source = RelationSource::package);

// Whether dpkg takes it for a package's name: upper case, '_' and a single letter too, which policy
// 5.6.1 does not allow.
bool is_package_name(std::string_view name);

// A field's value, folded lines and comments included; empty or blank: no clauses. Takes what dpkg
// takes, and "[...]" and "<...>" of source packages: names become lower case, the deprecated "<"
// and ">" mean "<=" and ">=", a version alone means "=". Throws Error{bad_package} naming `subject`
// for all else (an empty clause, too, is one that dpkg refuses), and for more than 1 MiB or 10,000
// relations.
std::vector<Clause> parse_relations(std::string_view field, const std::string& subject,
                                    RelationSource source = RelationSource::package);

}  // namespace topsctl
