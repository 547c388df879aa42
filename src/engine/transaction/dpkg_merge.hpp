// Removes one transaction's changes from dpkg's database files if these have changed again since.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// A database file without the changes between two of its states.
struct DpkgMerge {
  std::string text;
  std::vector<std::string> packages;   // packages with stanzas that the transaction changed,
                                       // "name:architecture"
  std::vector<std::string> conflicts;  // those of them that were modified afterwards
  bool operator==(const DpkgMerge&) const = default;
};

// dpkg's status file (deb822 stanzas, one per package): the transaction changed `before` to
// `after`, and other programs changed `after` to `now`. Stanzas that the transaction changed are as
// in `before`, all others as in `now`, whose order is kept.
DpkgMerge merged_status(std::string_view before, std::string_view after, std::string_view now);

// The same for files of records with a fixed number of lines each, where a record is present or
// not: diversions (3), statoverride and triggers/File (1).
std::string merged_records(std::string_view before, std::string_view after, std::string_view now,
                           std::size_t lines);

// The packages of a transaction, by name, with the version that it was to install; empty: the
// package was to go.
using OwnDebs = std::map<std::string, std::string, std::less<>>;

// The same for an interrupted transaction, whose final state is unknown: stanzas of its own
// packages are as in `before`, all others as in `now`, but without pending triggers that were not
// pending before. Returns `before` itself if there are no foreign changes. A conflict is an own
// package whose state is neither the old one nor on the way from the old to the new version.
DpkgMerge status_without(const OwnDebs& own, std::string_view before, std::string_view now);

// The same for files of records.
std::string records_without(const std::function<bool(std::string_view record)>& is_own,
                            std::string_view before, std::string_view now, std::size_t lines);

}  // namespace topsctl
