// Writes lines of ranks as they come.
#include "cli/rank_console.hpp"

#include <iostream>

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
    : out_(stream == Stream::output ? std::cout : std::cerr),
      style_(style),
      is_verbose_(is_verbose) {}

void RankConsole::line(std::int64_t rank, std::string_view text) {
  if (rank != 0) return;
  using namespace std::chrono;
  const std::int64_t s = duration_cast<seconds>(steady_clock::now() - began_).count();
  const std::string time =
      concat(two_digits(s / s_per_hour), ":", two_digits(s / s_per_minute % s_per_minute), ":",
             two_digits(s % s_per_minute));
  out_ << style_.dim(concat("[", rank, " ", time, "]")) << " " << text << std::endl;
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
  out_ << (is_well ? style_.green("cards:") : style_.yellow("cards:")) << " " << text << std::endl;
}

void RankConsole::launcher_line(std::string_view text) {
  if (is_verbose_) out_ << style_.dim("[launcher]") << " " << text << std::endl;
}

}  // namespace topsctl
