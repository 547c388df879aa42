// Writes events as JSON lines, and reads them.
#include "cli/event_lines.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

void EventLines::write(const Json& event) {
  std::cerr << concat(to_line(event), "\n") << std::flush;
}

void EventLines::step_started(std::size_t index, std::size_t total,
                              const std::string& description) {
  write({{"event", "step_started"}, {"step", index}, {"of", total}, {"text", description}});
}

void EventLines::step_finished(std::size_t index, std::size_t total, const std::string& description,
                               std::int64_t duration_ms, bool succeeded) {
  write({{"event", "step_finished"},
         {"step", index},
         {"of", total},
         {"text", description},
         {"duration_ms", duration_ms},
         {"succeeded", succeeded}});
}

void EventLines::working(const std::string& text) {
  write({{"event", "working"}, {"text", text}});
}

void EventLines::target_progressed(const TargetProgress& progress) {
  write({{"event", "target"},
         {"target", progress.target},
         {"state", progress.state},
         {"verified_bytes", progress.done},
         {"total_bytes", progress.total}});
}

void EventLines::note(const std::string& text) {
  write({{"event", "note"}, {"text", text}});
}

void EventLines::warning(const std::string& text) {
  write({{"event", "warning"}, {"text", text}});
}

void tell_event_line(std::string_view line, EventSink& sink) {
  try {
    const Json json = parse_json(line, "an event");
    const JsonReader event(json, "an event");
    const std::string name = event.at("event").text();
    const auto text = [&] { return printable(event.at("text").text()); };
    const auto number = [&](const char* key) {
      constexpr std::int64_t most = std::int64_t{1} << 40U;
      return event.at(key).integer(0, most);
    };
    if (name == "step_started") {
      sink.step_started(static_cast<std::size_t>(number("step")),
                        static_cast<std::size_t>(number("of")), text());
    } else if (name == "step_finished") {
      sink.step_finished(static_cast<std::size_t>(number("step")),
                         static_cast<std::size_t>(number("of")), text(), number("duration_ms"),
                         event.at("succeeded").boolean());
    } else if (name == "working") {
      sink.working(text());
    } else if (name == "note") {
      sink.note(text());
    } else if (name == "warning") {
      sink.warning(text());
    }
  } catch (const Error&) {
    // Not ours: sudo's lecture, for example.
  }
}

}  // namespace topsctl
