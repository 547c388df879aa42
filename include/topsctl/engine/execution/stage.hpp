// The packages of an install on their way into a transaction: read once, checked, ready for dpkg.
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

// What one pass over the payloads found, by the packages' order.
struct ReadPayloads {
  std::vector<Contents> contents;
  std::vector<Finding> findings;  // bundle_findings() of all
};

// Reads the payload of every package, several at once, as read_payload does, in a sandbox, and
// fills in the sha256 of those that have none.
ReadPayloads read_payloads(std::vector<Package>& packages, Sandboxing sandboxing);

// Copies the file of a package and compares the digest of the copy with the planned one. Throws
// Error{bad_package}.
void copy_package(const PlannedPackage& package, const std::filesystem::path& to);

// A folder of our own for the copies that are made while packages are read, before there is a
// transaction. The caller holds the ChangeLock.
class Stage {
 public:
  // Removes what a run that was killed left there.
  explicit Stage(const Host& host);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // As the other one; each deb that `is_wanted` is also copied, not compressed, where the disk has
  // ample room. Throws Error{bad_package} if a file is no longer what a sha256 of before says.
  ReadPayloads read_payloads(std::vector<Package>& packages, Sandboxing sandboxing,
                             const std::function<bool(const Package&)>& is_wanted);
  // Of the packages that were copied; by the sizes of the packages.
  std::uint64_t staged_bytes() const;
  // Moves the copy of the package to `to`; where there is none, as copy_package does.
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
