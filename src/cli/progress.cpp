// Shows events on standard error.
#include "topsctl/cli/progress.hpp"

#include <iostream>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::string bounded(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : concat(text.substr(0, most - 3), "...");
}

}  // namespace

void ProgressSink::line(const std::string& text) {
  if (terminal_) std::cerr << "\r\033[K";
  std::cerr << text << std::endl;
}

void ProgressSink::step_started(std::size_t index, std::size_t total,
                                const std::string& description) {
  if (verbosity_ == Verbosity::quiet || !terminal_) return;
  std::cerr << "\r\033[K"
            << style_.dim(bounded(concat("step ", index, " of ", total, ": ", description), 76))
            << std::flush;
}

void ProgressSink::step_finished(std::size_t index, std::size_t total,
                                 const std::string& description, std::int64_t duration_ms,
                                 bool succeeded) {
  if (verbosity_ == Verbosity::quiet) return;
  line(concat("step ", index, " of ", total, ": ", description, "  ",
              succeeded ? style_.green("done") : style_.red("failed"), " ",
              style_.dim(human_duration(duration_ms))));
}

void ProgressSink::note(const std::string& text) {
  if (verbosity_ != Verbosity::quiet) line(printable(text, Lines::keep));
}

void ProgressSink::warning(const std::string& text) {
  if (verbosity_ != Verbosity::quiet) line(concat(style_.yellow("warning:"), " ", printable(text)));
}

void ProgressSink::output(std::string_view piece) {
  if (verbosity_ == Verbosity::verbose) std::cerr << printable(piece, Lines::keep) << std::flush;
}

}  // namespace topsctl
