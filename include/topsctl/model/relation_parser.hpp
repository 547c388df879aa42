// Parses relations between Debian packages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/relation.hpp"

namespace topsctl {

// dpkg rejects a package whose versions violate policy 5.6.12, but accepts in its own status file a
// version that does not begin with a digit or has invalid characters.
enum class RelationSource { package, status_file };

// Why a version is invalid (policy 5.6.12, as checked by dpkg); empty if it is valid.
std::string_view version_fault(std::string_view version,
                               RelationSource source = RelationSource::package);

// Whether dpkg accepts it as a package name: also upper case, '_' and a single letter, which policy
// 5.6.1 does not allow.
bool is_package_name(std::string_view name);

// Parses a field's value, including folded lines and comments; empty or blank: no clauses. Accepts
// what dpkg accepts, and "[...]" and "<...>" of source packages: names become lower case, the
// deprecated "<" and ">" mean "<=" and ">=", a version alone means "=". Throws Error{bad_package}
// with `subject` for anything else (dpkg rejects an empty clause too), and for more than 1 MiB or
// 10,000 relations.
std::vector<Clause> parse_relations(std::string_view field, const std::string& subject,
                                    RelationSource source = RelationSource::package);

}  // namespace topsctl
