// Digests of files that were read before, kept in one file for as long as those files do not
// change.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// What tells whether a file has changed: device, inode, size and both times. Nothing for a file
// that was changed in the last two seconds, whose times may stay as they are.
std::optional<std::string> settled_stamp(const struct stat& status, const Clock& clock);

// May be used by several threads. The clock must outlive it.
class DigestCache {
 public:
  // A file that is missing, damaged, or that another user owns or can write to counts as empty.
  DigestCache(std::filesystem::path file, const Clock& clock);

  // Reads a file: its digest, and the state it has afterwards. No digest is not noted.
  using Reader = std::function<std::optional<std::string>(struct stat& after)>;
  // What was noted of this very state of a file; else what `read` returns, noted if the file was
  // settled before and has not changed meanwhile.
  std::optional<std::string> digest_of(const struct stat& before, std::string_view algorithm,
                                       const Reader& read);
  // Writes what was found or noted since it was made, and nothing else; if that differs from the
  // file. That it cannot be written only costs time.
  void write() const;

 private:
  std::filesystem::path file_;
  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, std::string> known_;  // by "STAMP ALGORITHM"
  std::map<std::string, std::string> used_;
};

}  // namespace topsctl
