// The lock file of a bundle: the digest of every package that was approved.
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
  std::string name;          // empty: not in the file
  std::string version;       // the same
  std::string architecture;  // the same
  std::uint64_t size = 0;    // bytes
  std::string sha256;        // lower-case hex
  bool operator==(const LockedPackage&) const = default;
};

struct Lock {
  std::string topsctl_version;          // version that wrote it
  std::string created_at;               // RFC 3339, UTC
  std::vector<LockedPackage> packages;  // sorted by container and path, without duplicates
  bool operator==(const Lock&) const = default;
};

// The lock of all packages of a bundle, including damaged and archived ones. Throws
// Error{bad_package} if a digest was not read.
Lock lock_of(const Inventory& inventory, const std::string& created_at);
// The document of docs/lock.schema.json.
Json to_json(const Lock& lock);
// Parses a lock strictly; `source` is its name in messages. Throws Error{bad_package}.
Lock parse_lock(std::string_view json, const std::string& source);

// A difference between a bundle and its lock.
struct LockDifference {
  enum class Kind {
    missing,  // in the lock, not in the bundle
    changed,  // other content at this place
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

// Nothing if the package's exact bytes are in the lock, at any place: a bundle may be unpacked or
// moved after it was locked.
std::optional<LockDifference> difference_from(const Lock& lock, const Package& package);
// All differences, sorted by container and path. A package that was only moved is not a difference.
std::vector<LockDifference> lock_differences(const Lock& lock, const Inventory& inventory);

}  // namespace topsctl
