// Notes every event as one line.
#pragma once

#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

class RecordingSink : public EventSink {
 public:
  void step_started(std::size_t index, std::size_t total, const std::string& what) override {
    lines.push_back(concat("start ", index, "/", total, " ", what));
  }
  void step_finished(std::size_t index, std::size_t total, const std::string& what,
                     std::int64_t duration_ms, bool succeeded) override {
    lines.push_back(
        concat(succeeded ? "done " : "failed ", index, "/", total, " ", what, " ", duration_ms));
  }
  void note(const std::string& text) override { lines.push_back(concat("note ", text)); }
  void warning(const std::string& text) override { lines.push_back(concat("warning ", text)); }
  void output(std::string_view piece) override { lines.push_back(concat("output ", piece)); }

  std::vector<std::string> lines;
};

}  // namespace topsctl
