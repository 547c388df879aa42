// Taking one transaction's changes out of dpkg's database files when others have changed them
// since.
#pragma once

#include <cstddef>
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

}  // namespace topsctl
