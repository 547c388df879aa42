// The differences between two packages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topsctl/engine/reporting/line_diff.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// The first items of a list, and the total count.
template <class Item>
struct Excerpt {
  static constexpr std::size_t most = 200;
  std::uint64_t count = 0;
  std::vector<Item> first;
  bool operator==(const Excerpt&) const = default;

  void add(Item item) {
    ++count;
    if (first.size() < most) first.push_back(std::move(item));
  }
};

enum class VersionChange {
  upgrade,
  downgrade,
  rebuild,  // the same or an equivalent version, with other content
};

std::string_view name(VersionChange change);

struct FileChange {
  std::string path;
  std::optional<std::uint64_t> before;  // bytes; nothing: the file is in md5sums, without a size
  std::optional<std::uint64_t> after;   // the same; may be equal although the digest differs
  bool operator==(const FileChange&) const = default;
};

struct ModeChange {
  std::string path;
  unsigned before = 0;  // 07777
  unsigned after = 0;   // 07777
  bool operator==(const ModeChange&) const = default;

  bool gains_setuid() const { return (after & ~before & 06000U) != 0; }  // or setgid
};

struct SonameChange {
  std::string before;  // "libtops.so.2"
  std::string after;   // "libtops.so.3"
  bool operator==(const SonameChange&) const = default;
};

struct ScriptChange {
  std::string name;  // "postinst"
  bool is_new = false;
  bool is_gone = false;
  LineDiff lines;
  bool operator==(const ScriptChange&) const = default;
};

// Clauses of one field of the control file or METADATA, in canonical form.
struct RelationChange {
  std::string field;  // "depends", "requires_dist", "requires_python"
  std::vector<std::string> lost;
  std::vector<std::string> gained;
  bool operator==(const RelationChange&) const = default;
};

// A package that only one of the bundles has.
struct PackageEntry {
  PackageKind kind = PackageKind::other;
  std::string name;
  std::string version;
  std::optional<std::string> python_minor;
  std::string place;  // model/place.hpp
  std::uint64_t size = 0;
  bool operator==(const PackageEntry&) const = default;
};

struct PackageDiff {
  PackageEntry before;
  PackageEntry after;
  VersionChange change = VersionChange::rebuild;
  bool files_compared = false;  // the file lists of both are known
  Excerpt<std::string> files_added;
  Excerpt<std::string> files_removed;
  Excerpt<FileChange> files_changed;
  Excerpt<ModeChange> modes_changed;
  Excerpt<std::string> conffiles_added;
  Excerpt<std::string> conffiles_removed;
  bool contents_compared = false;  // all data of both was read
  Excerpt<std::string> sonames_gained;
  Excerpt<std::string> sonames_lost;
  Excerpt<SonameChange> sonames_bumped;
  Excerpt<std::string> needed_gained;  // libraries that no file needed before
  std::string glibc_before;            // the highest required version; empty: none
  std::string glibc_after;
  std::vector<ScriptChange> scripts;
  std::vector<RelationChange> relations;
  bool operator==(const PackageDiff&) const = default;
};

// One package; the contents may be null if the data was not read.
PackageDiff package_diff(const Package& before, const Contents* before_contents,
                         const Package& after, const Contents* after_contents);

}  // namespace topsctl
