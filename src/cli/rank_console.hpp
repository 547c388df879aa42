// What ranks say, on the terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/non_blocking_streambuf.hpp"
#include "cli/render.hpp"
#include "topsctl/engine/launch/launcher.hpp"

namespace topsctl {

enum class Stream { output, errors };

// Rank 0 as it speaks, with the time since the start. What torchrun says is shown only if it is
// asked for: it is in its log. A terminal that takes nothing holds no rank up: what it misses is in
// the logs.
class RankConsole : public RankListener {
 public:
  RankConsole(Stream stream, const Style& style, bool is_verbose);
  void line(std::int64_t rank, std::string_view text) override;
  void launcher_line(std::string_view text) override;
  void checked(const BusyCheck& check, std::int64_t ranks) override;

 private:
  void say(const std::string& line);

  NonBlockingStreambuf buffer_;
  std::ostream out_;
  Style style_;
  bool is_verbose_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace topsctl
