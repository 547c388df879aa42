// Writes lines of ranks as they come.
#include "cli/rank_console.hpp"

#include <unistd.h>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t s_per_hour = 3600;
constexpr std::int64_t s_per_minute = 60;

std::string two_digits(std::int64_t number) {
  return concat(number < 10 ? "0" : "", number);
}

}  // namespace

RankConsole::RankConsole(Stream stream, const Style& style, bool is_verbose)
    : buffer_(stream == Stream::output ? STDOUT_FILENO : STDERR_FILENO),
      out_(&buffer_),
      style_(style),
      is_verbose_(is_verbose) {}

void RankConsole::say(const std::string& line) {
  out_ << concat(line, "\n") << std::flush;
}

void RankConsole::line(std::int64_t rank, std::string_view text) {
  if (rank != 0) return;
  using namespace std::chrono;
  const std::int64_t s = duration_cast<seconds>(steady_clock::now() - began_).count();
  const std::string time =
      concat(two_digits(s / s_per_hour), ":", two_digits(s / s_per_minute % s_per_minute), ":",
             two_digits(s % s_per_minute));
  say(concat(style_.dim(concat("[", rank, " ", time, "]")), " ", text));
}

// Of checks that are repeated, the last one alone.
void RankConsole::checked(const BusyCheck& check, std::int64_t ranks) {
  if (!check.is_last) return;
  std::string text = "unknown whether the cards are busy: efsmi is not there or fails";
  bool is_well = false;
  if (check.cards_busy) {
    is_well = *check.cards_busy >= static_cast<std::size_t>(ranks);
    text = format("{} of {} cards busy", *check.cards_busy, ranks);
    if (!is_well && !check.first_cause.empty()) text += concat(": ", check.first_cause);
    if (!is_well) text += "; `topsctl doctor` says more";
  }
  say(concat(is_well ? style_.green("cards:") : style_.yellow("cards:"), " ", text));
}

void RankConsole::launcher_line(std::string_view text) {
  if (is_verbose_) say(concat(style_.dim("[launcher]"), " ", text));
}

}  // namespace topsctl
