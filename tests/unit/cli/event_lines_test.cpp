// Events as JSON lines, and lines told again.
#include "cli/event_lines.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/recording_sink.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

// What the sink writes to standard error.
std::string written_by(const std::function<void(EventLines&)>& tell) {
  testing::internal::CaptureStderr();
  EventLines lines;
  tell(lines);
  return testing::internal::GetCapturedStderr();
}

TEST(EventsAsLines, AreWholeJsonObjects) {
  const std::string text = written_by([](EventLines& lines) {
    lines.step_started(1, 2, "unpack");
    lines.target_progressed({"node1", "sending", 5, 10});
    lines.warning("a \"quoted\" word\n");
  });
  std::vector<std::string> events;
  for (const std::string& line : split(trimmed(text), '\n'))
    events.push_back(Json::parse(line)["event"].get<std::string>());
  EXPECT_EQ(events, (std::vector<std::string>{"step_started", "target", "warning"}));
}

TEST(EventsAsLines, AreToldAgainAsTheyWere) {
  const std::string text = written_by([](EventLines& lines) {
    lines.step_started(1, 2, "unpack");
    lines.step_finished(1, 2, "unpack", 30, true);
    lines.note("hello");
    lines.warning("careful");
  });
  RecordingSink sink;
  for (const std::string& line : split(trimmed(text), '\n')) tell_event_line(line, sink);
  EXPECT_EQ(sink.lines, (std::vector<std::string>{"start 1/2 unpack", "done 1/2 unpack 30",
                                                  "note hello", "warning careful"}));
}

TEST(EventsAsLines, ThatAreNoneArePassedOver) {
  RecordingSink sink;
  for (const char* line :
       {"", "sudo: lecture", "{}", "{\"event\": 1}", "{\"event\": \"note\"}",
        "{\"event\": \"step_started\", \"step\": -1, \"of\": 2, \"text\": \"x\"}"})
    tell_event_line(line, sink);
  EXPECT_TRUE(sink.lines.empty());
}

TEST(EventsAsLines, CannotWriteToTheTerminal) {
  RecordingSink sink;
  tell_event_line(R"({"event": "note", "text": "\u001b[2Jcleared"})", sink);
  ASSERT_EQ(sink.lines.size(), 1U);
  EXPECT_EQ(sink.lines[0].find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace topsctl
