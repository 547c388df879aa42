// The log of one rank: its output, each line with its time of arrival.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// The prefix of a line: "2026-11-25T10:00:01.123Z ", UTC.
std::string line_stamp(std::chrono::system_clock::time_point time);

class RankLog {
 public:
  // Creates the file, which must not exist. Throws Error.
  explicit RankLog(const std::filesystem::path& file);

  // Writes complete lines; a carriage return ends a line too. `on_line` gets each without its end.
  // Cuts lines of more than 64 KiB. Throws Error if the disk is full.
  void take(std::string_view bytes, std::chrono::system_clock::time_point now,
            const std::function<void(std::string_view)>& on_line);
  // Writes the last line if it has no end.
  void end(std::chrono::system_clock::time_point now,
           const std::function<void(std::string_view)>& on_line);

 private:
  void write_line(std::string_view line, std::string& text, std::string_view stamp,
                  const std::function<void(std::string_view)>& on_line);
  void write(const std::string& text);

  std::string path_;
  Descriptor file_;
  std::string rest_;
};

}  // namespace topsctl
