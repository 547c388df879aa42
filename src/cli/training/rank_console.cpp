// Prints lines of ranks as they arrive.
#include "cli/training/rank_console.hpp"

#include <unistd.h>

#include <algorithm>

#include "cli/training/live_view.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/supervisor.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t s_per_hour = 3600;
constexpr std::int64_t s_per_minute = 60;
constexpr const char* clear_line = "\r\x1b[K";

std::string two_digits(std::int64_t number) {
  return concat(number < 10 ? "0" : "", number);
}

}  // namespace

std::string progress_text(const AttemptRecord& attempt) {
  const auto alive =
      std::count_if(attempt.ranks.begin(), attempt.ranks.end(), [](const RankRecord& rank) {
        return rank.pid && !start_of_process(static_cast<pid_t>(*rank.pid)).empty();
      });
  std::string text = format("{} of {} ranks running", alive, attempt.ranks.size());
  if (attempt.busy_check && attempt.busy_check->cards_busy)
    text += format(", {} of {} cards busy", *attempt.busy_check->cards_busy, attempt.ranks.size());
  for (const RankRecord& rank : attempt.ranks) {
    if (rank.iteration.empty()) continue;
    text += format(", iteration {}", rank.iteration);
    break;
  }
  return text;
}

RankConsole::RankConsole(Stream stream, const Style& style, Verbosity verbosity)
    : descriptor_(stream == Stream::output ? STDOUT_FILENO : STDERR_FILENO),
      is_terminal_(::isatty(descriptor_) == 1),
      buffer_(descriptor_),
      out_(&buffer_),
      style_(style),
      verbosity_(verbosity) {}

void RankConsole::say(const std::string& line) {
  if (verbosity_ == Verbosity::quiet) return;
  if (progress_.empty())
    out_ << concat(line, "\n") << std::flush;
  else
    out_ << concat(clear_line, line, "\n", progress_) << std::flush;
}

// Output of a rank must not control the terminal.
std::string RankConsole::shown(std::string_view text) const {
  return is_terminal_ ? printable(text) : std::string(text);
}

std::string RankConsole::time_passed() const {
  using namespace std::chrono;
  const std::int64_t s = duration_cast<seconds>(steady_clock::now() - began_).count();
  return concat(two_digits(s / s_per_hour), ":", two_digits(s / s_per_minute % s_per_minute), ":",
                two_digits(s % s_per_minute));
}

void RankConsole::line(std::int64_t rank, std::string_view text) {
  if (rank != 0 || !shows_ranks_) return;
  say(concat(style_.dim(concat("[", first_rank_, " ", time_passed(), "]")), " ", shown(text)));
}

void RankConsole::progressed(const AttemptRecord& attempt) {
  if (!attempt.ranks.empty()) first_rank_ = attempt.ranks.front().in_world.value_or(first_rank_);
  if (!is_terminal_ || verbosity_ == Verbosity::quiet) return;
  const std::string text = concat(time_passed(), " ", progress_text(attempt));
  progress_ = style_.dim(fitting(text, terminal_size(descriptor_).columns - 1));
  out_ << concat(clear_line, progress_) << std::flush;
}

void RankConsole::end() {
  if (!progress_.empty()) out_ << clear_line << std::flush;
  progress_.clear();
}

// Shows only the last of repeated checks.
void RankConsole::checked(const BusyCheck& check, std::int64_t ranks) {
  if (!check.is_last) return;
  std::string text =
      "unknown whether the cards are busy: the tool that lists them is missing or fails";
  bool is_well = false;
  if (check.cards_busy) {
    is_well = *check.cards_busy >= static_cast<std::size_t>(ranks);
    text = format("{} of {} cards busy", *check.cards_busy, ranks);
    if (!is_well && !check.first_cause.empty()) text += concat(": ", check.first_cause);
    if (!is_well) text += "; run `topsctl doctor` for details";
  }
  say(concat(is_well ? style_.green(format("cards:")) : style_.yellow(format("cards:")), " ",
             text));
}

void RankConsole::stood_still(const Standstill& stall, OnStall what) {
  std::string text =
      format("no output, no CPU time and no busy card for {}", human_duration(stall.after_ms));
  if (stall.behind) text += format("; rank {} is behind the others", *stall.behind);
  if (what == OnStall::stop) text += "; stopping the run";
  if (what == OnStall::restart) text += "; stopping the run to restart it";
  say(concat(style_.yellow(format("standstill:")), " ", text));
  for (const StillRank& rank : stall.ranks) {
    std::string words =
        rank.last_line.empty() ? std::string("no output") : format("last line: {}", rank.last_line);
    if (!rank.state.empty()) words += format(" (state {})", rank.state);
    say(concat("  ", format("rank {}, silent for {}: {}", rank.rank, human_duration(rank.silent_ms),
                            words)));
  }
}

void RankConsole::restarts(const AttemptRecord& failed, std::int64_t pause_ms) {
  const std::string cause =
      failed.judgement ? failed.judgement->first_cause : std::string("unknown");
  say(concat(style_.yellow(format("restart:")), " ",
             format("{}; restarting in {}", cause, human_duration(pause_ms))));
}

void RankConsole::host_line(const std::string& host, std::string_view text) {
  say(concat(style_.dim(concat(host, ":")), " ", shown(text)));
}

void RankConsole::launcher_line(std::string_view text) {
  if (verbosity_ == Verbosity::verbose)
    say(concat(style_.dim(format("[launcher]")), " ", shown(text)));
}

}  // namespace topsctl
