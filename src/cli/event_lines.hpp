// Events as JSON lines on standard error, for programs.
#pragma once

#include "topsctl/base/events.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// One object a line: {"event": NAME, ...}.
class EventLines : public EventSink {
 public:
  void step_started(std::size_t index, std::size_t total, const std::string& description) override;
  void step_finished(std::size_t index, std::size_t total, const std::string& description,
                     std::int64_t duration_ms, bool succeeded) override;
  void working(const std::string& text) override;
  void target_progressed(const TargetProgress& progress) override;
  void note(const std::string& text) override;
  void warning(const std::string& text) override;
  // Output of programs stays in the log.
  void output(std::string_view /*piece*/) override {}

 private:
  static void write(const Json& event);
};

// Forwards such a line to a sink as a local event; ignores other lines.
void tell_event_line(std::string_view line, EventSink& sink);

}  // namespace topsctl
