// Events as lines on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/render.hpp"
#include "topsctl/base/events.hpp"

namespace topsctl {

enum class Verbosity { quiet, normal, verbose };

// Steps as they start and end; on a terminal the running step has its own line, which is
// overwritten. `verbose` also shows the output of programs.
class ProgressSink : public EventSink {
 public:
  ProgressSink(Verbosity verbosity, bool terminal, Style style)
      : verbosity_(verbosity), terminal_(terminal), style_(style) {}

  ~ProgressSink() override { clear(); }
  ProgressSink(const ProgressSink&) = delete;
  ProgressSink& operator=(const ProgressSink&) = delete;

  void step_started(std::size_t index, std::size_t total, const std::string& description) override;
  void step_finished(std::size_t index, std::size_t total, const std::string& description,
                     std::int64_t duration_ms, bool succeeded) override;
  void working(const std::string& text) override;
  // A bar with the rate and the remaining time, after one second of work.
  void progressed(std::uint64_t done, std::uint64_t total) override;
  // One line per target.
  void target_progressed(const TargetProgress& progress) override;
  void note(const std::string& text) override;
  void warning(const std::string& text) override;
  void output(std::string_view piece) override;
  // Removes transient lines before other output is written to the terminal.
  void clear();

 private:
  void line(const std::string& text);
  void transient(const std::string& text);
  void draw_targets();
  Verbosity verbosity_;
  bool terminal_;
  Style style_;
  std::size_t transient_lines_ = 0;  // that are shown
  std::vector<TargetProgress> targets_;
  std::string step_;    // the running one, as shown
  std::string output_;  // of a program, since its last end of line
  std::string working_on_;
  std::optional<std::chrono::steady_clock::time_point> work_began_;
  std::uint64_t done_before_ = 0;  // when it began
  std::chrono::steady_clock::time_point last_drawn_;
};

}  // namespace topsctl
