// Taking one transaction's changes out of dpkg's database files when others have changed them
// since.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// A database file without the changes that lie between two of its states.
struct DpkgMerge {
  std::string text;
  std::vector<std::string> packages;   // whose stanzas the transaction changed, "name:architecture"
  std::vector<std::string> conflicts;  // those of them that somebody else has changed since
  bool operator==(const DpkgMerge&) const = default;
};

// dpkg's status file (deb822 stanzas, one a package): the transaction made `after` of `before`, and
// others made `now` of `after`. Stanzas that the transaction changed are as in `before`, all others
// as in `now`, whose order is kept.
DpkgMerge merged_status(std::string_view before, std::string_view after, std::string_view now);

// The same for files of records of so many lines each, of which a record is there or not:
// diversions (3), statoverride and triggers/File (1).
std::string merged_records(std::string_view before, std::string_view after, std::string_view now,
                           std::size_t lines);

// The packages of a transaction, by name, with the version that it was to install; empty: the
// package was to go.
using OwnDebs = std::map<std::string, std::string, std::less<>>;

// The same for a transaction that came to no end, so that nobody knows what it would have left:
// stanzas of its own packages are as in `before`, all others as in `now`, except that no package
// has triggers to wait for that it had not before. The text is `before` itself where nobody else
// has changed anything. A conflict is an own package that is neither on its way from the version
// before to the new one nor where it was.
DpkgMerge status_without(const OwnDebs& own, std::string_view before, std::string_view now);

// The same for files of records.
std::string records_without(const std::function<bool(std::string_view record)>& is_own,
                            std::string_view before, std::string_view now, std::size_t lines);

}  // namespace topsctl
