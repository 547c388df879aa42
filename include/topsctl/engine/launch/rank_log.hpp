// The log of one rank: its output, each line with the time at which it came.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// What a line begins with: "2026-11-25T10:00:01.123Z ", UTC.
std::string line_stamp(std::chrono::system_clock::time_point time);

class RankLog {
 public:
  // Makes the file, which may not be there. Throws Error.
  explicit RankLog(const std::filesystem::path& file);

  // Writes the lines that are whole now; what a carriage return ends is a line, too. `on_line` gets
  // each without its end. A line of more than 64 KiB is cut. Throws Error if the disk is full.
  void take(std::string_view bytes, std::chrono::system_clock::time_point now,
            const std::function<void(std::string_view)>& on_line);
  // The last line, if it has no end.
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
