// All that `inspect --against` may know of a machine: read there, or carried here in a file.
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

// A package in the machine's dpkg status, whatever its state. Relations are the fields' values in
// one line.
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
  std::vector<std::string> obsolete_conffiles;  // of these: its version has them no longer
  // As dpkg brought them. A snapshot does not tell them.
  std::map<std::string, std::string> conffile_md5s = {};
  bool operator==(const TargetPackage&) const = default;
};

// dpkg-divert(1).
struct Diversion {
  std::string from;
  std::string to;
  std::string package;  // whose files are not diverted; ":" stands for the local administrator
  bool operator==(const Diversion&) const = default;
};

struct MountPoint {
  std::string path;
  std::string type;  // "ext4", "overlay"
  bool read_only = false;
  std::uint64_t free_bytes = 0;   // for root
  std::uint64_t free_inodes = 0;  // 0 with `counts_inodes` unset: the file system has no such limit
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
  std::string kernel;        // "5.4.0-100-generic"; empty: not known (a root that is not running)
  std::string glibc;         // "2.31"; empty: not found
  std::string glibcxx;       // highest GLIBCXX_ that its libstdc++ defines; empty: none installed
  std::string cxxabi;
  std::string dpkg_version;
  std::vector<std::string> dpkg_compressions;  // what its dpkg unpacks: "gzip", "xz", "zstd"
  std::vector<TargetPackage> packages;
  std::map<std::string, std::vector<std::string>>
      owners;  // path -> names of the packages that own it, sorted, without architecture; files and
               // links. A folder into which no package puts anything may be among them.
  std::vector<Diversion> diversions;
  std::vector<CachedLibrary> libraries;
  std::vector<PythonFacts> pythons;  // every interpreter found; `wheels` lists all distributions,
                                     // without files and record
  bool are_pythons_known = true;     // false: nobody was allowed to ask them
  std::vector<MountPoint> mounts;
  bool operator==(const TargetSnapshot&) const = default;
};

inline constexpr std::uint64_t most_snapshot_bytes = 256ULL << 20U;  // of a snapshot file
inline constexpr std::size_t most_owned_paths = 2'000'000;           // that a snapshot may hold

// Whether a snapshot can hold the path of a file: absolute, without empty, "." and ".." parts and
// line ends.
bool is_plain_path(std::string_view path);

// The document of docs/target-snapshot.schema.json. Paths keep every byte: see that file.
Json to_json(const TargetSnapshot& snapshot);
// The same as text, with each item of a list in a line of its own: a person can search and compare
// it.
std::string to_text(const TargetSnapshot& snapshot);

}  // namespace topsctl
