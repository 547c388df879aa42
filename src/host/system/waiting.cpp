// poll with a computed limit, eventfd and inotify.
#include "topsctl/host/system/waiting.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

WaitLimit::WaitLimit(std::int64_t milliseconds)
    : has_end_(true),
      // A year is practically unlimited, and cannot overflow.
      end_(std::chrono::steady_clock::now() +
           std::chrono::milliseconds(std::clamp<std::int64_t>(milliseconds, 0, 31'536'000'000))) {}

bool WaitLimit::is_over() const {
  return has_end_ && std::chrono::steady_clock::now() >= end_;
}

int WaitLimit::poll_timeout() const {
  if (!has_end_) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

PaceLimit::PaceLimit(std::int64_t milliseconds) : granted_ms_(milliseconds) {}

std::int64_t PaceLimit::left_ms() const {
  const auto passed =
      std::chrono::floor<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun_);
  return std::max<std::int64_t>(granted_ms_ + earned_ms_ - passed.count(), 0);
}

bool wait_for(std::initializer_list<int> descriptors, const WaitLimit& limit) {
  std::vector<pollfd> watched;
  for (const int descriptor : descriptors) watched.push_back({descriptor, POLLIN, 0});
  watched.push_back({interrupt_descriptor(), POLLIN, 0});
  for (;;) {
    const int ready = ::poll(watched.data(), watched.size(), limit.poll_timeout());
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw system_error(errno, "wait for", "an event");
    if (limit.is_over()) return false;
  }
}

void pause_for(std::chrono::milliseconds duration) {
  throw_if_interrupted();
  if (wait_for({}, WaitLimit(duration.count()))) throw_if_interrupted();
}

Bell::Bell() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_.is_open()) throw system_error(errno, "make", "an event descriptor");
}

void Bell::ring() const {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event_.get(), &one, sizeof one));
}

void Bell::silence() const {
  std::uint64_t rings = 0;
  static_cast<void>(!::read(event_.get(), &rings, sizeof rings));
}

FileWatch::FileWatch() : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

void FileWatch::add(const std::filesystem::path& file) {
  constexpr std::uint32_t changes = IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
  if (events_.is_open() && ::inotify_add_watch(events_.get(), file.c_str(), changes) < 0)
    events_.close();
}

void FileWatch::clear() const {
  std::array<char, 4096> events{};
  while (events_.is_open() && ::read(events_.get(), events.data(), events.size()) > 0) {
  }
}

}  // namespace topsctl
