// Reads and writes the digest file: one line per digest, and a digest of all lines.
#include "topsctl/host/filesystem/digest_cache.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

std::string time_text(const timespec& time) {
  return concat(time.tv_sec, ".", time.tv_nsec);
}

std::string state_stamp(const struct stat& status) {
  return concat(status.st_dev, ":", status.st_ino, ":", status.st_size, ":",
                time_text(status.st_mtim), ":", time_text(status.st_ctim));
}

// The content, if no other user can have written it.
std::string text_of_ours(const std::filesystem::path& file) {
  constexpr mode_t writable_by_others = 0022;
  const Descriptor open(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!open.is_open() || ::fstat(open.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid() || (status.st_mode & writable_by_others) != 0)
    return {};
  try {
    return read_text(concat("/proc/self/fd/", open.get()));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::optional<std::string> settled_stamp(const struct stat& status, const Clock& clock) {
  constexpr std::time_t settled_s = 2;
  const std::time_t now = std::chrono::system_clock::to_time_t(clock.now());
  if (now - status.st_ctim.tv_sec < settled_s) return std::nullopt;
  return state_stamp(status);
}

DigestCache::DigestCache(std::filesystem::path file, const Clock& clock)
    : file_(std::move(file)), clock_(clock) {
  const std::string text = text_of_ours(file_);
  const std::size_t end = text.find_last_of('\n', text.size() < 2 ? 0 : text.size() - 2);
  if (end == std::string::npos) return;
  const std::string lines = text.substr(0, end + 1);
  if (concat(sha256_of(lines), "\n") != text.substr(end + 1)) return;
  for (const std::string& line : split(lines, '\n')) {
    const std::size_t blank = line.rfind(' ');
    if (blank != std::string::npos) known_.emplace(line.substr(0, blank), line.substr(blank + 1));
  }
}

std::optional<std::string> DigestCache::digest_of(const struct stat& before,
                                                  std::string_view algorithm, const Reader& read) {
  const std::string key = concat(state_stamp(before), " ", algorithm);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) {
      used_.insert(*found);
      return found->second;
    }
  }
  const bool is_settled = settled_stamp(before, clock_).has_value();
  struct stat after {};
  std::optional<std::string> digest = read(after);
  if (!digest || !is_settled || state_stamp(after) != state_stamp(before)) return digest;
  const std::scoped_lock lock(mutex_);
  used_.emplace(key, *digest);
  return digest;
}

void DigestCache::write() const {
  if (used_ == known_) return;
  constexpr mode_t ours = 0700;
  constexpr mode_t readable_by_us = 0600;
  std::string text;
  for (const auto& [key, digest] : used_) text += concat(key, " ", digest, "\n");
  text += concat(sha256_of(text), "\n");
  try {
    make_directories(file_.parent_path(), ours);
    write_plainly(file_, text, readable_by_us);
  } catch (const Error&) {
  }
}

}  // namespace topsctl
