// Writes events to a log file.
#pragma once

#include <filesystem>
#include <string>

#include "topsctl/base/events.hpp"
#include "topsctl/base/log.hpp"

namespace topsctl {

class LogSink : public EventSink {
 public:
  explicit LogSink(const std::filesystem::path& file) : log_(file) {}
  ~LogSink() override { flush_line(); }
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;

  void step_started(std::size_t index, std::size_t total, const std::string& description) override;
  void step_finished(std::size_t index, std::size_t total, const std::string& description,
                     std::int64_t duration_ms, bool succeeded) override;
  void note(const std::string& text) override;
  void warning(const std::string& text) override;
  void output(std::string_view piece) override;

 private:
  void flush_line();
  Log log_;
  std::string line_;  // incomplete last line of a program's output
};

}  // namespace topsctl
