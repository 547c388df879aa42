// Runs dpkg for its version, and takes its frontend lock.
#include "topsctl/host/debian/dpkg.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/lock_wait.hpp"

namespace topsctl {

std::string dpkg_version(const Host& host) {
  const RunResult result = host.runner->run(host.command({"dpkg", "--version"}, 30'000));
  // "Debian 'dpkg' package management program version 1.20.13 (amd64)."
  const std::vector<std::string> words =
      split(result.output.substr(0, result.output.find('\n')), ' ');
  const auto at = std::find(words.begin(), words.end(), "version");
  if (!result.ok() || at == words.end() || at + 1 == words.end()) {
    throw Error(ErrorCode::host_unfit, format("dpkg does not work: {}", result.ending()),
                "run `dpkg --version` on that host");
  }
  return printable(*(at + 1));
}

namespace {

struct flock whole_file_lock() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string holder_of(int descriptor) {
  struct flock lock = whole_file_lock();
  if (::fcntl(descriptor, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK || lock.l_pid <= 0)
    return "another process";
  const auto name = read_text_if_present(concat("/proc/", lock.l_pid, "/comm"));
  return format("{} (pid {})", name ? printable(trimmed(*name)) : "a process", lock.l_pid);
}

}  // namespace

std::string_view path_beside(std::string_view dpkg_sibling) {
  for (const std::string_view suffix : {".dpkg-new", ".dpkg-tmp", ".dpkg-old", ".dpkg-dist",
                                        ".dpkg-bak", ".dpkg-backup", ".dpkg-remove"}) {
    if (dpkg_sibling.ends_with(suffix)) {
      return dpkg_sibling.substr(0, dpkg_sibling.size() - suffix.size());
    }
  }
  return {};
}

DpkgFrontendLock::DpkgFrontendLock(const Host& host, std::int64_t timeout_ms,
                                   const std::function<void(const std::string&)>& on_wait) {
  const WaitLimit limit(timeout_ms);
  const auto take = [&](const char* name, int flags, const auto& refuse) {
    const std::filesystem::path path = host.resolve_parent(concat(dpkg_directory, "/", name));
    Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0640));
    if (!file.is_open() && errno == ENOENT && flags == 0) return file;
    if (!file.is_open()) throw system_error(errno, "open", path.string(), ErrorCode::host_unfit);
    // A POSIX lock would go when this process closes any other descriptor of the file.
    struct flock lock = whole_file_lock();
    if (::fcntl(file.get(), F_OFD_SETLK, &lock) == 0) return file;
    if (errno != EACCES && errno != EAGAIN && errno != EINTR) {
      throw system_error(errno, "lock", path.string(), ErrorCode::host_unfit);
    }
    const auto started = host.clock->steady();
    waited_for_ = holder_of(file.get());
    on_wait(waited_for_);
    const bool is_locked = timeout_ms > 0 && lock_within(file, LockKind::record, limit);
    waited_ms_ +=
        std::chrono::duration_cast<std::chrono::milliseconds>(host.clock->steady() - started)
            .count();
    if (is_locked) return file;
    throw_if_interrupted();
    refuse();
    return file;
  };
  constexpr const char* hint =
      "wait until that program has ended, or allow more time with --lock-timeout";
  file_ = take("lock-frontend", O_CREAT, [&] {
    throw Error(ErrorCode::busy, format("dpkg's frontend lock is held by {}", waited_for_), hint);
  });
  // dpkg takes this lock itself, and does not wait for a program that does not use the frontend
  // lock.
  static_cast<void>(take("lock", 0, [&] {
    throw Error(ErrorCode::busy, format("dpkg's database lock is held by {}", waited_for_), hint);
  }));
}

}  // namespace topsctl
