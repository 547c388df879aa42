// Events of work in progress, for progress display and logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// Progress of the work on one of several targets.
struct TargetProgress {
  std::string target;
  std::string state;        // "connecting", "reading", "sending", "installing", "done", "failed"
  std::uint64_t done = 0;   // bytes verified on the target
  std::uint64_t total = 0;  // bytes in all; 0: unknown
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void step_started(std::size_t index, std::size_t total,
                            const std::string& description) = 0;
  virtual void step_finished(std::size_t index, std::size_t total, const std::string& description,
                             std::int64_t duration_ms, bool succeeded) = 0;
  // What is being done now; superseded by the next event.
  virtual void working(const std::string& /*text*/) {}
  // Progress of a long operation, in bytes.
  virtual void progressed(std::uint64_t /*done*/, std::uint64_t /*total*/) {}
  virtual void target_progressed(const TargetProgress& /*progress*/) {}
  virtual void note(const std::string& text) = 0;
  virtual void warning(const std::string& text) = 0;
  // A piece of the output of a running program.
  virtual void output(std::string_view piece) = 0;
};

// Forwards each event to several sinks, which must outlive it.
class EventFan : public EventSink {
 public:
  void add(EventSink* sink) { sinks_.push_back(sink); }
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
  std::vector<EventSink*> sinks_;
};

}  // namespace topsctl
