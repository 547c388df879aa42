// Runs the same work on several targets in parallel; a failure does not stop the others.
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
  unsigned jobs = 8;                         // in parallel
  std::optional<std::size_t> most_failures;  // after more failures no other target is started
  std::size_t canaries = 0;                  // these run first; if one fails, no other target is
                                             // started
};

enum class TargetStatus { not_started, done, failed };

struct TargetResult {
  TargetStatus status = TargetStatus::not_started;
  std::optional<Error> error;  // if it failed
  std::int64_t duration_ms = 0;
};

// Calls `work` with each index below `count`, on several threads. An Error that it throws becomes
// the result of that target. After a request to stop, running calls see it and no other target is
// started.
std::vector<TargetResult> for_each_target(std::size_t count, const TargetPoolOptions& options,
                                          const std::function<void(std::size_t)>& work);

// What the same command does when it is run again, for the hint of error_of().
enum class IfRerun { starts_over, continues };

// The result as one error: nothing if all are done, the common error code if all failed alike, else
// some_failed.
std::optional<Error> error_of(const std::vector<TargetResult>& results, IfRerun rerun);

// Serializes the events of several threads. The sink must outlive it.
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
