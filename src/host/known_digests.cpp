// Keeps digests with what the kernel said of the files when they were read.
#include "topsctl/host/known_digests.hpp"

#include <sys/stat.h>

#include <ctime>

#include "topsctl/host/digest.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
// The kernel's times move in steps of up to 10 ms: what was changed within one may change again in
// it.
constexpr std::int64_t just_now_ns = 100'000'000;

std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * ns_per_s + time.tv_nsec;
}

}  // namespace

std::optional<KnownDigests::Stamp> KnownDigests::stamp_of(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return Stamp{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
               nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

void KnownDigests::take(const fs::path& file) {
  const auto stamp = stamp_of(file);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (!stamp || stamp->changed_ns > nanoseconds(now) - just_now_ns) return;
  std::string sha256 = sha256_of_file(file);
  const std::lock_guard lock(mutex_);
  known_[file.string()] = {*stamp, std::move(sha256)};
}

std::optional<std::string> KnownDigests::find(const fs::path& file) const {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(file.string());
  if (known == known_.end() || stamp_of(file) != known->second.stamp) return std::nullopt;
  return known->second.sha256;
}

}  // namespace topsctl
