// Shows events on standard error.
#include "cli/progress.hpp"

#include <algorithm>
#include <iostream>

#include "cli/finding_text.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::string bounded(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : concat(text.substr(0, most - 3), "...");
}

}  // namespace

void ProgressSink::line(const std::string& text) {
  clear();
  std::cerr << fitted_lines(text, style_) << std::endl;
}

void ProgressSink::transient(const std::string& text) {
  if (verbosity_ != Verbosity::normal || !terminal_) return;
  if (transient_lines_ > 1) clear();
  transient_lines_ = 1;
  std::cerr << "\r\033[K" << style_.dim(printable(bounded(text, 78))) << std::flush;
}

void ProgressSink::working(const std::string& text) {
  working_on_ = text;
  // A bar is drawn again soon enough.
  if (!work_began_ && targets_.size() < 2) transient(std::string(translated(text)));
}

void ProgressSink::progressed(std::uint64_t done, std::uint64_t total) {
  using std::chrono::milliseconds;
  const auto now = std::chrono::steady_clock::now();
  if (!work_began_) {
    work_began_ = now;
    done_before_ = done;
  }
  const auto elapsed = std::chrono::duration_cast<milliseconds>(now - *work_began_);
  if (elapsed < milliseconds(1000) || now - last_drawn_ < milliseconds(100) || total == 0) return;
  last_drawn_ = now;
  if (targets_.size() > 1) return draw_targets();
  constexpr std::uint64_t width = 20;
  done = std::min(done, total);
  const std::uint64_t filled = done * width / total;
  // Data that were there before took no time.
  const double gained =
      static_cast<double>(std::max<std::uint64_t>(done - std::min(done, done_before_), 1));
  const double ms = static_cast<double>(elapsed.count());
  const auto left = static_cast<std::int64_t>(ms * static_cast<double>(total - done) / gained);
  const auto rate = static_cast<std::uint64_t>(gained * 1000 / ms);
  transient(format("[{}{}] {} of {}, {}/s, {} left  {}", std::string(filled, '#'),
                   std::string(width - filled, ' '), human_size(done), human_size(total),
                   human_size(rate), human_duration(left), working_on_));
}

void ProgressSink::target_progressed(const TargetProgress& progress) {
  const auto found =
      std::find_if(targets_.begin(), targets_.end(),
                   [&](const TargetProgress& each) { return each.target == progress.target; });
  if (found == targets_.end()) {
    targets_.push_back(progress);
  } else {
    const bool is_same = found->state == progress.state;
    *found = progress;
    if (is_same) return;  // the bytes are drawn by the clock
  }
  if (targets_.size() > 1) draw_targets();
}

// Shows the targets that moved most recently, as many as fit; counts the others.
void ProgressSink::draw_targets() {
  if (verbosity_ != Verbosity::normal || !terminal_) return;
  constexpr std::size_t most_lines = 16;
  constexpr std::uint64_t width = 20;
  const auto has_ended = [](const TargetProgress& each) {
    return each.state == "done" || each.state == "failed";
  };
  std::vector<const TargetProgress*> shown;
  std::size_t longest = 0;
  for (const TargetProgress& each : targets_) {
    shown.push_back(&each);
    longest = std::max(longest, display_width(each.target));
  }
  std::stable_partition(shown.begin(), shown.end(),
                        [&](const TargetProgress* each) { return !has_ended(*each); });
  std::vector<std::string> lines;
  for (const TargetProgress* each : shown) {
    if (lines.size() == most_lines) break;
    const std::uint64_t total = has_ended(*each) ? 0 : each->total;
    const std::uint64_t filled = total == 0 ? 0 : std::min(each->done, total) * width / total;
    lines.push_back(concat(
        each->target, std::string(longest - display_width(each->target) + 2, ' '),
        translated(each->state),
        total == 0
            ? ""
            : format("  [{}{}] {} of {}", std::string(filled, '#'),
                     std::string(width - filled, ' '), human_size(each->done), human_size(total))));
  }
  if (shown.size() > lines.size())
    lines.push_back(format("and {} more", shown.size() - lines.size()));
  clear();
  transient_lines_ = lines.size();
  for (std::string& each : lines)
    each = style_.dim(printable(bounded(each, std::max<std::size_t>(style_.width(), 40) - 1)));
  std::cerr << joined(lines, "\n") << std::flush;
}

void ProgressSink::step_started(std::size_t index, std::size_t total,
                                const std::string& description) {
  step_ = format("step {} of {}: {}", index, total, translated(description));
  transient(step_);
}

void ProgressSink::step_finished(std::size_t index, std::size_t total,
                                 const std::string& description, std::int64_t duration_ms,
                                 bool succeeded) {
  if (verbosity_ == Verbosity::quiet) return;
  line(format("step {} of {}: {}  {} {}", index, total, translated(description),
              succeeded ? style_.green(format("done")) : style_.red(format("failed")),
              style_.dim(human_duration(duration_ms))));
}

void ProgressSink::note(const std::string& text) {
  if (verbosity_ != Verbosity::quiet) line(printable(translated(text), Lines::keep));
}

void ProgressSink::warning(const std::string& text) {
  if (verbosity_ != Verbosity::quiet)
    line(concat(style_.yellow("warning:"), " ", printable(translated(text))));
}

void ProgressSink::output(std::string_view piece) {
  if (verbosity_ == Verbosity::verbose) {
    std::cerr << printable(piece, Lines::keep) << std::flush;
    return;
  }
  for (const char c : piece) {
    if (c != '\n') {
      if (output_.size() < 400) output_.push_back(c);
      continue;
    }
    if (!output_.empty()) transient(concat(bounded(step_, 36), " | ", output_));
    output_.clear();
  }
}

void ProgressSink::clear() {
  if (transient_lines_ == 0) return;
  std::cerr << "\r\033[K";
  for (; transient_lines_ > 1; --transient_lines_) std::cerr << "\033[A\033[K";
  std::cerr << std::flush;
  transient_lines_ = 0;
}

}  // namespace topsctl
