// The same work on several targets at once: one that fails ends no other.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/events.hpp"

namespace topsctl {

struct TargetPoolOptions {
  unsigned jobs = 8;                         // at once
  std::optional<std::size_t> most_failures;  // more than so many, and no other is started
  std::size_t canaries = 0;                  // so many first; if one fails, no other is started
};

enum class TargetStatus { not_started, done, failed };

struct TargetResult {
  TargetStatus status = TargetStatus::not_started;
  std::optional<Error> error;  // of one that failed
  std::int64_t duration_ms = 0;
};

// Calls `work` with each index below `count`, by several threads. An Error that it throws is the
// result of that target. When topsctl was asked to stop, those that run see it, and no other is
// started.
std::vector<TargetResult> for_each_target(std::size_t count, const TargetPoolOptions& options,
                                          const std::function<void(std::size_t)>& work);

// How the whole ends: done, unreachable or whatever all of them have in common, else some_failed.
std::optional<Error> error_of(const std::vector<TargetResult>& results);

// Lets several threads tell of events, one at a time. The sink must outlive it.
class SharedEvents : public EventSink {
 public:
  explicit SharedEvents(EventSink& sink) : sink_(sink) {}
  void step_started(std::size_t index, std::size_t total, const std::string& description) override;
  void step_finished(std::size_t index, std::size_t total, const std::string& description,
                     std::int64_t duration_ms, bool succeeded) override;
  void working(const std::string& text) override;
  void progressed(std::uint64_t done, std::uint64_t total) override;
  void target_progressed(const TargetProgress& progress) override;
  void note(const std::string& text) override;
  void warning(const std::string& text) override;
  void output(std::string_view piece) override;

 private:
  std::mutex mutex_;
  EventSink& sink_;
};

}  // namespace topsctl
