// The lock file of a bundle: the digest of every package, as somebody saw and approved them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/json.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

struct LockedPackage {
  std::string path;                    // like Package::path; relative, without ".."
  std::vector<std::string> container;  // like Package::container
  PackageKind kind = PackageKind::other;
  std::string name;          // empty: the file does not say
  std::string version;       // the same
  std::string architecture;  // the same
  std::uint64_t size = 0;    // bytes
  std::string sha256;        // lower-case hex
  bool operator==(const LockedPackage&) const = default;
};

struct Lock {
  std::string topsctl_version;          // that wrote it
  std::string created_at;               // RFC 3339, UTC
  std::vector<LockedPackage> packages;  // sorted by container and path, each place once
  bool operator==(const Lock&) const = default;
};

// The lock of all packages of a bundle, damaged and archived ones too. Throws Error{bad_package}
// for one whose digest was not read.
Lock lock_of(const Inventory& inventory, const std::string& created_at);
// The document of docs/lock.schema.json.
Json to_json(const Lock& lock);
// Reads a lock strictly; `source` is how messages call it. Throws Error{bad_package}.
Lock parse_lock(std::string_view json, const std::string& source);

// How a bundle is not what its lock says.
struct LockDifference {
  enum class Kind {
    missing,  // in the lock, not in the bundle
    changed,  // at this place lies something else
    added,    // in the bundle, not in the lock
  };
  Kind kind = Kind::changed;
  std::string path;
  std::vector<std::string> container;
  std::uint64_t locked_size = 0;  // `added`: 0
  std::string locked_sha256;      // `added`: empty
  std::uint64_t found_size = 0;   // `missing`: 0
  std::string found_sha256;       // `missing`: empty
  bool operator==(const LockDifference&) const = default;
};
std::string_view name(LockDifference::Kind kind);
Json to_json(const LockDifference& difference);

// Nothing if the package's very bytes are in the lock, wherever they lie: a bundle may be unpacked
// or named by another folder after it was locked.
std::optional<LockDifference> difference_from(const Lock& lock, const Package& package);
// All differences, sorted by container and path. A package that only lies elsewhere is none.
std::vector<LockDifference> lock_differences(const Lock& lock, const Inventory& inventory);

}  // namespace topsctl
