// Events as log lines.
#include "topsctl/base/log_sink.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

void LogSink::step_started(std::size_t index, std::size_t total, const std::string& description) {
  log_.info(format("step {} of {}: {}", index, total, description));
}

void LogSink::step_finished(std::size_t index, std::size_t total, const std::string& description,
                            std::int64_t duration_ms, bool succeeded) {
  flush_line();
  const std::string line = format("step {} of {}{} after {} ms: {}", index, total,
                                  succeeded ? " done" : " failed", duration_ms, description);
  succeeded ? log_.info(line) : log_.error(line);
}

void LogSink::note(const std::string& text) {
  log_.info(text);
}

void LogSink::warning(const std::string& text) {
  log_.warning(text);
}

void LogSink::output(std::string_view piece) {
  constexpr std::size_t longest_line = 4096;
  for (const char c : piece) {
    if (c == '\n' || line_.size() >= longest_line) flush_line();
    if (c != '\n') line_.push_back(c);
  }
}

void LogSink::flush_line() {
  if (!line_.empty()) log_.info(concat("| ", line_));
  line_.clear();
}

}  // namespace topsctl
