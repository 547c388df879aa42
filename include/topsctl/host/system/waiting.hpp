// Waits for events without polling.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// The end of a wait, by the steady clock.
class WaitLimit {
 public:
  WaitLimit() = default;  // none
  explicit WaitLimit(std::int64_t milliseconds);
  bool is_over() const;
  // For poll(2): the remaining time, rounded up; -1 without a limit.
  int poll_timeout() const;

 private:
  bool has_end_ = false;
  std::chrono::steady_clock::time_point end_;
};

// The time limit for a large transfer: each 4 KiB received extends it by one second. A peer that
// sends a byte now and then runs into the limit.
class PaceLimit {
 public:
  explicit PaceLimit(std::int64_t milliseconds);
  void count(std::size_t bytes) { earned_ms_ += static_cast<std::int64_t>(bytes) / bytes_per_ms; }
  std::int64_t left_ms() const;  // never below zero

 private:
  static constexpr std::int64_t bytes_per_ms = 4;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::int64_t granted_ms_;
  std::int64_t earned_ms_ = 0;
};

// Returns when a descriptor is readable or its other end is closed, a signal has come (see
// interrupt.hpp), or the time is over; false for the last. Ignores a descriptor of -1.
bool wait_for(std::initializer_list<int> descriptors, const WaitLimit& limit = {});

// Throws Error{interrupted, terminated} as soon as a signal comes.
void pause_for(std::chrono::milliseconds duration);

// A descriptor that one thread makes readable for another that waits.
class Bell {
 public:
  Bell();  // throws Error
  void ring() const;
  void silence() const;
  int descriptor() const { return event_.get(); }

 private:
  Descriptor event_;
};

// A descriptor that becomes readable when one of some files is written to or removed. Reading a
// file after adding it misses no change.
class FileWatch {
 public:
  FileWatch();
  explicit FileWatch(const std::filesystem::path& file) : FileWatch() { add(file); }
  void add(const std::filesystem::path& file);
  // -1 if the kernel cannot watch one of them.
  int descriptor() const { return events_.get(); }
  bool is_watching() const { return events_.is_open(); }
  // Discards pending events.
  void clear() const;
  // The longest wait before the files must be read again: unlimited, but one second without a
  // watch.
  WaitLimit longest_wait() const { return events_.is_open() ? WaitLimit() : WaitLimit(1000); }

 private:
  Descriptor events_;
};

}  // namespace topsctl
