// The output and the state of ranks, on the terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/non_blocking_streambuf.hpp"
#include "cli/progress.hpp"
#include "cli/render.hpp"
#include "topsctl/engine/launch/launcher.hpp"

namespace topsctl {

enum class Stream { output, errors };

// The verbosity for ranks, by that of the command: their output is its purpose, so --quiet keeps
// it.
inline Verbosity verbosity_of_ranks(Verbosity detail) {
  return detail == Verbosity::verbose ? detail : Verbosity::normal;
}

// Prints rank 0's output, with the time since the start, and on a terminal a status line for all
// ranks below it. Shows torchrun's output only if requested: it is in its log. A blocked terminal
// does not delay any rank: missed output is in the logs.
class RankConsole : public RankListener {
 public:
  // Quiet: nothing. Verbose: also torchrun's output.
  RankConsole(Stream stream, const Style& style, Verbosity verbosity);
  // From here on, does not print output of ranks, but still shows their state.
  void leave_ranks_out() { shows_ranks_ = false; }
  void line(std::int64_t rank, std::string_view text) override;
  // Output of topsctl on one of several hosts.
  void host_line(const std::string& host, std::string_view text);
  void launcher_line(std::string_view text) override;
  void checked(const BusyCheck& check, std::int64_t ranks) override;
  void stood_still(const Standstill& stall, OnStall what) override;
  void restarts(const AttemptRecord& failed, std::int64_t pause_ms) override;
  void progressed(const AttemptRecord& attempt) override;
  // Call at the end: removes the status line.
  void end();

 private:
  void say(const std::string& line);
  std::string shown(std::string_view text) const;
  std::string time_passed() const;

  int descriptor_;
  bool is_terminal_;
  NonBlockingStreambuf buffer_;
  std::ostream out_;
  Style style_;
  Verbosity verbosity_;
  std::string progress_;         // the shown status line; empty: none
  std::int64_t first_rank_ = 0;  // of this host, across all hosts
  bool shows_ranks_ = true;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// "8 of 8 ranks run, 8 of 8 cards busy, iteration 50/100". Pure except for reading processes.
std::string progress_text(const AttemptRecord& attempt);

}  // namespace topsctl
