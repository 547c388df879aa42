// Uncompressed copies of .deb files, written while a package is read.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Bytes that several copies together may use; thread-safe.
class SpaceBudget {
 public:
  explicit SpaceBudget(std::uint64_t bytes) : left_(bytes) {}
  // Takes that many bytes if they are available; else takes nothing and returns false.
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { left_ += bytes; }

 private:
  std::atomic<std::uint64_t> left_;
};

// The result of one pass over a .deb.
struct PlainDeb {
  Contents contents;
  std::string sha256;       // of the original .deb
  std::uint64_t size = 0;   // size of the copy in bytes
  bool is_written = false;  // false: there is no copy
};

// Reads a .deb with known control data once, as read_deb_payload does, and writes the same package
// to `to`, a file that must not exist: the same two archives, but uncompressed, so that dpkg need
// not decode them. Leaves no copy (in a confined process, an empty file) if the budget or the disk
// does not suffice, if the package is not compressed or has the old format, or if a copy would lose
// members. Throws Error{bad_package}.
PlainDeb read_deb_to_plain(const std::filesystem::path& from, Package& package,
                           const std::filesystem::path& to, SpaceBudget& budget);

}  // namespace topsctl
