// Digests of files that need not be read again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace topsctl {

// Each digest counts for as long as the kernel says that nothing was changed about the file: inode,
// size, time of modification and of change. For several threads.
class KnownDigests {
 public:
  // Reads the file if it is a regular one that has not been changed just now. Throws Error.
  void take(const std::filesystem::path& file);
  // The SHA-256 of the file as it is now, if it is known.
  std::optional<std::string> find(const std::filesystem::path& file) const;

 private:
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Known {
    Stamp stamp;
    std::string sha256;
  };
  static std::optional<Stamp> stamp_of(const std::filesystem::path& file);

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;  // by path
};

}  // namespace topsctl
