// A thread that touches a file, and the functions that read its time.
#include "topsctl/engine/transaction/last_active.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "topsctl/base/error.hpp"
#include "topsctl/host/filesystem/file_state.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

constexpr const char* sign_file = "alive";
constexpr std::chrono::milliseconds sign_interval{50};
constexpr std::int64_t second_ns = 1'000'000'000;
// Maximum delay of a touch on a busy host.
constexpr std::int64_t sign_delay_ns = second_ns / 2;
// Maximum time before file systems write timestamps to disk; XFS: half a minute.
constexpr std::int64_t unwritten_ns = 60 * second_ns;

std::int64_t nanoseconds_of(const timespec& time) {
  return time.tv_sec * second_ns + time.tv_nsec;
}

// The boot time of this host.
std::int64_t start_ns() {
  timespec now{};
  timespec running{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  ::clock_gettime(CLOCK_BOOTTIME, &running);
  return nanoseconds_of(now) - nanoseconds_of(running);
}

std::int64_t content_time_ns(const std::filesystem::path& file) {
  return std::max<std::int64_t>(file_state(file.string(), Content::ignore).mtime_ns, 0);
}

}  // namespace

std::string this_start() {
  try {
    return read_text("/proc/sys/kernel/random/boot_id");
  } catch (const Error&) {
    return {};
  }
}

LastActive::LastActive(const std::filesystem::path& folder)
    : path_(folder / sign_file),
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (!file_.is_open()) return;
  const std::string start = this_start();
  static_cast<void>(!::write(file_.get(), start.data(), start.size()));
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      ::futimens(file_.get(), nullptr);
      stops_.wait_for(lock, stop, sign_interval, [] { return false; });
    }
    ::futimens(file_.get(), nullptr);
  });
}

LastActive::~LastActive() = default;

void LastActive::end() {
  thread_ = {};
  ::unlink(path_.c_str());
}

std::int64_t end_of_work_ns(const Host& host, const Transaction& transaction) {
  const std::filesystem::path folder = host.resolve(transaction.folder);
  const std::int64_t last =
      std::max(content_time_ns(folder / sign_file), content_time_ns(folder / "journal"));
  std::string start;
  try {
    start = read_text_if_present(folder / sign_file).value_or("");
  } catch (const Error&) {
    start.clear();
  }
  if (start == this_start()) return last + sign_delay_ns;
  return std::max(last + sign_delay_ns, std::min(last + unwritten_ns, start_ns()));
}

}  // namespace topsctl
