// Digests of files, cached in one file until those files change.
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

// A stamp that changes with the file: device, inode, size and both times. Nothing for a file that
// was changed in the last two seconds, because its times may not change again.
std::optional<std::string> settled_stamp(const struct stat& status, const Clock& clock);

// Thread-safe. The clock must outlive it.
class DigestCache {
 public:
  // A cache file that is missing, damaged, or owned or writable by another user counts as empty.
  DigestCache(std::filesystem::path file, const Clock& clock);

  // Reads a file: returns its digest and sets its state after reading. An empty result is not
  // cached.
  using Reader = std::function<std::optional<std::string>(struct stat& after)>;
  // The cached digest for this state of a file; else the result of `read`, cached if the file was
  // settled before and did not change during reading.
  std::optional<std::string> digest_of(const struct stat& before, std::string_view algorithm,
                                       const Reader& read);
  // Writes only entries that were found or added since the construction, if they differ from the
  // file. Write errors only cost time.
  void write() const;

 private:
  std::filesystem::path file_;
  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, std::string> known_;  // by "STAMP ALGORITHM"
  std::map<std::string, std::string> used_;
};

}  // namespace topsctl
