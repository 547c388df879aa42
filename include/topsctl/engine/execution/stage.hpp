// Reads, checks and unpacks the packages of an install once, before the transaction begins.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "topsctl/host/system/confined_call.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Results of one pass over the payloads, in the order of the packages.
struct ReadPayloads {
  std::vector<Contents> contents;
  std::vector<Finding> findings;  // bundle_findings() of all packages
};

// Reads the payload of each package as read_payload does, in parallel and in a sandbox; fills in
// missing sha256 values.
ReadPayloads read_payloads(std::vector<Package>& packages, Sandboxing sandboxing);

// Copies a package file and compares the digest of the copy with the planned one. Throws
// Error{bad_package}.
void copy_package(const PlannedPackage& package, const std::filesystem::path& to);

// A directory for the copies that are made while packages are read, before the transaction begins.
// The caller holds the ChangeLock.
class Stage {
 public:
  // Removes files that a killed run left in the directory.
  explicit Stage(const Host& host);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Like read_payloads() above; also copies each deb that `is_wanted`, uncompressed, if there is
  // ample disk space. Throws Error{bad_package} if a file no longer has the sha256 that was read
  // before.
  ReadPayloads read_payloads(std::vector<Package>& packages, Sandboxing sandboxing,
                             const std::function<bool(const Package&)>& is_wanted);
  // Size of the copied packages, by the sizes of the original files.
  std::uint64_t staged_bytes() const;
  // Moves the copy of the package to `to`; without a copy, does the same as copy_package.
  void deliver(const PlannedPackage& package, const std::filesystem::path& to);

 private:
  struct Copy {
    std::filesystem::path file;
    std::uint64_t package_size = 0;
  };

  std::filesystem::path folder_;
  std::map<std::string, Copy> copies_;  // by the sha256 of the package
};

}  // namespace topsctl
