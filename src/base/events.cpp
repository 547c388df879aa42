// Passing events on.
#include "topsctl/base/events.hpp"

namespace topsctl {

void EventFan::step_started(std::size_t index, std::size_t total, const std::string& description) {
  for (EventSink* sink : sinks_) sink->step_started(index, total, description);
}

void EventFan::step_finished(std::size_t index, std::size_t total, const std::string& description,
                             std::int64_t duration_ms, bool succeeded) {
  for (EventSink* sink : sinks_) {
    sink->step_finished(index, total, description, duration_ms, succeeded);
  }
}

void EventFan::working(const std::string& text) {
  for (EventSink* sink : sinks_) sink->working(text);
}

void EventFan::progressed(std::uint64_t done, std::uint64_t total) {
  for (EventSink* sink : sinks_) sink->progressed(done, total);
}

void EventFan::target_progressed(const TargetProgress& progress) {
  for (EventSink* sink : sinks_) sink->target_progressed(progress);
}

void EventFan::note(const std::string& text) {
  for (EventSink* sink : sinks_) sink->note(text);
}

void EventFan::warning(const std::string& text) {
  for (EventSink* sink : sinks_) sink->warning(text);
}

void EventFan::output(std::string_view piece) {
  for (EventSink* sink : sinks_) sink->output(piece);
}

}  // namespace topsctl
