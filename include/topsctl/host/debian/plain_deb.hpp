// Copies of .deb files whose archives are not compressed, made while a package is read.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Bytes that several copies together may take; for several threads.
class SpaceBudget {
 public:
  explicit SpaceBudget(std::uint64_t bytes) : left_(bytes) {}
  // Whether that much was left; if not, nothing is taken.
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { left_ += bytes; }

 private:
  std::atomic<std::uint64_t> left_;
};

// What came of one pass over a .deb.
struct PlainDeb {
  Contents contents;
  std::string sha256;       // of the .deb as it was read
  std::uint64_t size = 0;   // bytes of the copy
  bool is_written = false;  // false: there is no copy
};

// Reads a .deb, whose control data is known, once, as read_deb_payload does, and writes the same
// package to `to`, a file that must not exist: its two archives byte for byte, but not compressed,
// so that dpkg has nothing to decode. No copy is left, but an empty file where this process is
// confined, when the budget or the disk does not suffice, when the package is not compressed or of
// the old format, or when it has members that a copy would lose. Throws Error{bad_package}.
PlainDeb read_deb_to_plain(const std::filesystem::path& from, Package& package,
                           const std::filesystem::path& to, SpaceBudget& budget);

}  // namespace topsctl
