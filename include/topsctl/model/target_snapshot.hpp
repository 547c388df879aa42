// All facts about a host for `inspect --against`: read from the host, or from a snapshot file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/base/dpkg_status.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// A package in the host's dpkg status, in any state. Relations are the fields' values on one line.
struct TargetPackage {
  std::string name;
  std::string version;
  std::string architecture;
  DpkgStatus status;
  std::string multi_arch;
  bool essential = false;
  std::string depends;  // Pre-Depends and Depends
  std::string provides;
  std::string breaks;
  std::string conflicts;
  std::string replaces;
  std::vector<std::string> conffiles;
  std::vector<std::string> obsolete_conffiles;  // a subset: the installed version no longer has
                                                // them
  // As shipped, by dpkg. Not part of a snapshot file.
  std::map<std::string, std::string> conffile_md5s = {};
  bool operator==(const TargetPackage&) const = default;
};

// dpkg-divert(1).
struct Diversion {
  std::string from;
  std::string to;
  std::string package;  // its files are not diverted; ":" is the local administrator
  bool operator==(const Diversion&) const = default;
};

struct MountPoint {
  std::string path;
  std::string type;  // "ext4", "overlay"
  bool read_only = false;
  std::uint64_t free_bytes = 0;   // for root
  std::uint64_t free_inodes = 0;  // 0 with `counts_inodes` unset: the file system has no limit
  bool counts_inodes = false;
  bool operator==(const MountPoint&) const = default;
};

// A library of the loader's cache.
struct CachedLibrary {
  std::string soname;
  std::string path;
  bool operator==(const CachedLibrary&) const = default;
};

struct TargetSnapshot {
  std::string taken_at;  // RFC 3339 UTC
  std::string host_name;
  std::string os;            // "ubuntu 20.04"
  std::string architecture;  // "amd64", dpkg's name
  std::string kernel;        // "5.4.0-100-generic"; empty: unknown (a root that is not running)
  std::string glibc;         // "2.31"; empty: not found
  std::string glibcxx;       // highest GLIBCXX_ that its libstdc++ defines; empty: not installed
  std::string cxxabi;
  std::string dpkg_version;
  std::vector<std::string> dpkg_compressions;  // compressions that its dpkg supports: "gzip", "xz",
                                               // "zstd"
  std::vector<TargetPackage> packages;
  std::map<std::string, std::vector<std::string>>
      owners;  // path -> names of its owners, sorted, without architecture; files and links,
               // possibly also directories without packaged content.
  std::vector<Diversion> diversions;
  std::vector<CachedLibrary> libraries;
  std::vector<PythonFacts> pythons;  // every interpreter found; `wheels` lists all distributions,
                                     // without files and record
  bool are_pythons_known = true;     // false: they could not be run
  std::vector<MountPoint> mounts;
  bool operator==(const TargetSnapshot&) const = default;
};

inline constexpr std::uint64_t most_snapshot_bytes = 256ULL << 20U;  // of a snapshot file
inline constexpr std::size_t most_owned_paths = 2'000'000;           // in a snapshot

// Whether a snapshot can contain the path: absolute, without empty, "." and ".." parts and line
// ends.
bool is_plain_path(std::string_view path);

// The document of docs/target-snapshot.schema.json. Paths keep every byte: see that file.
Json to_json(const TargetSnapshot& snapshot);
// The same as text, with each list item on its own line, so that it can be searched and compared.
std::string to_text(const TargetSnapshot& snapshot);

}  // namespace topsctl
