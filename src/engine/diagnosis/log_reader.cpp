// Finds the lines that may matter, and tells the story from them.
#include "engine/diagnosis/log_reader.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/diagnosis/line_label.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t longest_log_line = std::size_t{16} << 10U;  // bytes that are judged
constexpr std::size_t longest_rest = std::size_t{64} << 10U;      // bytes without a line end
constexpr std::size_t longest_traceback = std::size_t{64} << 10U;
constexpr std::size_t most_sightings = 20;  // of one diagnosis, rank and file
constexpr std::size_t most_tracebacks = 100;
constexpr std::size_t most_deaths = 4096;
constexpr std::size_t time_look_back = 4096;  // bytes before a line, for a time
constexpr int summary_lines = 400;            // of torchrun's list of failures
constexpr std::size_t longest_text = 400;     // bytes of a sighting's line

struct OpenTraceback {
  std::string text;
  bool is_ignored = false;
  std::optional<std::int64_t> time_ms;
};

// "exitcode  : -9 (pid: 12)": the value behind the key, if it is that line.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  const std::string_view text = trimmed(line);
  if (!text.starts_with(key)) return std::nullopt;
  const std::string_view rest = trimmed(text.substr(key.size()));
  if (!rest.starts_with(":")) return std::nullopt;
  return trimmed(rest.substr(1));
}

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

}  // namespace

class LogReader::Lines {
 public:
  Lines(const LogMatcher& matcher, LogStory& story, std::string source, std::optional<int> rank,
        int attempt)
      : matcher_(matcher),
        story_(story),
        source_(std::move(source)),
        rank_(rank),
        attempt_(attempt) {
    story_.attempts = std::max(story_.attempts, attempt_);
  }

  // Whole lines, each with its end.
  void take(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
      if (open_.empty() && summary_left_ == 0) {
        const auto wanted =
            is_in_doubt() ? LogMatcher::Progress::wanted : LogMatcher::Progress::ignored;
        const std::size_t hit = matcher_.next(text, at, wanted);
        if (hit == std::string_view::npos) {
          count_lines(text.substr(at));
          return;
        }
        const std::size_t before = text.rfind('\n', hit);
        const std::size_t begin = before == std::string_view::npos || before < at ? at : before + 1;
        count_lines(text.substr(at, begin - at));
        at = begin;
      }
      const std::size_t end = std::min(text.find('\n', at), text.size());
      ++line_;
      before_ =
          text.substr(at > time_look_back ? at - time_look_back : 0, std::min(at, time_look_back));
      take_line(text.substr(at, end - at));
      at = end + 1;
    }
  }

  void end() {
    for (auto& [rank, traceback] : std::exchange(open_, {})) close(rank, traceback, "");
  }

 private:
  static int key_of(std::optional<int> rank) { return rank.value_or(-1); }

  // Whether it matters if a rank works: after a traceback of it.
  bool is_in_doubt() const { return !doubts_.empty(); }

  void count_lines(std::string_view text) {
    line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }

  void take_line(std::string_view raw) {
    const std::string line = plain_line(raw.substr(0, longest_log_line));
    const LineLabel label = line_label(line);
    const std::string_view words = std::string_view(line).substr(label.size);
    const std::optional<int> rank = label.rank ? label.rank : rank_;
    if (summary_left_ > 0) {
      --summary_left_;
      if (takes_summary(words)) return;
    }
    if (words.find("Traceback (most recent call last)") != std::string_view::npos) {
      begin_traceback(words, rank);
      return;
    }
    const auto open = open_.find(key_of(rank));
    if (open != open_.end() && continues(open->second, words)) return;
    if (words.starts_with("Exception ignored in")) ignored_at_ = line_;
    judge(words, words, rank, time_of(words));
  }

  std::optional<std::int64_t> time_of(std::string_view words) const {
    if (const auto time = line_time(words)) return time;
    // The last line before that has one.
    std::string_view rest = before_;
    while (!rest.empty()) {
      rest.remove_suffix(rest.ends_with('\n') ? 1 : 0);
      const auto begin = rest.rfind('\n');
      const std::string_view line = begin == std::string_view::npos ? rest : rest.substr(begin + 1);
      if (const auto time = line_time(line)) return time;
      if (begin == std::string_view::npos) break;
      rest = rest.substr(0, begin + 1);
    }
    return std::nullopt;
  }

  LogPlace place_of(std::optional<int> rank, std::optional<std::int64_t> time_ms) {
    return {source_,
            line_,
            rank,
            time_ms,
            attempt_,
            story_.sightings.size() + story_.tracebacks.size() + story_.deaths.size() +
                story_.failures.size()};
  }

  void begin_traceback(std::string_view words, std::optional<int> rank) {
    const auto open = open_.find(key_of(rank));
    if (open != open_.end()) {
      close(open->first, open->second, "");
      open_.erase(open);
    }
    OpenTraceback traceback;
    traceback.text = concat(words, "\n");
    traceback.is_ignored = ignored_at_ + 1 == line_ && ignored_at_ > 0;
    traceback.time_ms = time_of(words);
    open_.emplace(key_of(rank), std::move(traceback));
  }

  // Whether the line belongs to the traceback. The line of the exception ends it.
  bool continues(OpenTraceback& traceback, std::string_view words) {
    const std::string_view text = trimmed(words);
    const bool is_inner = words.starts_with(' ') || words.starts_with('\t') || text.empty() ||
                          text.starts_with("[Previous line repeated");
    if (is_inner) {
      if (traceback.text.size() < longest_traceback) traceback.text.append(concat(words, "\n"));
      return true;
    }
    const auto open = std::find_if(open_.begin(), open_.end(),
                                   [&](const auto& each) { return &each.second == &traceback; });
    OpenTraceback whole = std::move(traceback);
    const int key = open->first;
    open_.erase(open);
    close(key, whole, words);
    return true;
  }

  void close(int key, OpenTraceback& traceback, std::string_view exception) {
    const std::optional<int> rank = key < 0 ? std::nullopt : std::optional(key);
    traceback.text.append(exception);
    if (exception.find("ChildFailedError") != std::string_view::npos) summary_left_ = summary_lines;
    const std::size_t sighted = story_.sightings.size();
    const std::string_view shown =
        exception.empty() ? std::string_view("Traceback (most recent call last):") : exception;
    const bool is_explained =
        judge(traceback.text, shown, rank, traceback.time_ms) || story_.sightings.size() > sighted;
    if (story_.tracebacks.size() == most_tracebacks) return;
    Traceback told;
    told.place = place_of(rank, traceback.time_ms);
    told.text = printable(traceback.text, topsctl::Lines::keep);
    told.is_fatal = !traceback.is_ignored;
    told.is_explained = is_explained;
    if (told.is_fatal) doubts_.insert({key, story_.tracebacks.size()});
    story_.tracebacks.push_back(std::move(told));
  }

  // Returns whether a diagnosis matched.
  bool judge(std::string_view unit, std::string_view shown, std::optional<int> rank,
             std::optional<std::int64_t> time_ms) {
    const LogMatcher::Meaning meaning = matcher_.meaning(unit);
    for (const Diagnosis* diagnosis : meaning.diagnoses) {
      if (++sighted_[{diagnosis->finding.id, key_of(rank)}] > most_sightings) continue;
      story_.sightings.push_back({diagnosis->finding.id, place_of(rank, time_ms),
                                  shortened(printable(trimmed(shown)), longest_text)});
    }
    if (meaning.is_restart) story_.attempts = std::max(story_.attempts, ++attempt_);
    if (meaning.is_failure && story_.failures.size() < most_tracebacks)
      story_.failures.push_back(place_of(rank, time_ms));
    if (meaning.is_success) story_.success = place_of(rank, time_ms);
    if (meaning.is_progress && meaning.diagnoses.empty()) clear_doubts(key_of(rank));
    return !meaning.diagnoses.empty();
  }

  void clear_doubts(int key) {
    const auto [first, last] = doubts_.equal_range(key);
    for (auto doubt = first; doubt != last; ++doubt)
      story_.tracebacks[doubt->second].is_fatal = false;
    doubts_.erase(first, last);
  }

  // One line of the list that torchrun prints behind ChildFailedError.
  bool takes_summary(std::string_view words) {
    if (words.find("Root Cause (first observed failure)") != std::string_view::npos) {
      is_root_cause_ = true;
      return true;
    }
    if (const auto rank = value_of(words, "rank")) {
      summary_rank_ = number_of(*rank);
      return true;
    }
    if (const auto time = value_of(words, "time")) {
      std::string text(*time);
      std::replace(text.begin(), text.end(), '_', ' ');
      summary_time_ = line_time(text);
      return true;
    }
    const auto status = value_of(words, "exitcode");
    if (!status) return false;
    const auto number = number_of(*status);
    if (number && *number != 0 && story_.deaths.size() < most_deaths) {
      story_.deaths.push_back({place_of(summary_rank_, summary_time_), *number, is_root_cause_});
    }
    // What the line means besides, such as a signal, is judged as any other's.
    judge(words, words, summary_rank_, summary_time_);
    return true;
  }

  const LogMatcher& matcher_;
  LogStory& story_;
  std::string source_;
  std::optional<int> rank_;
  int attempt_;
  int line_ = 0;
  std::string_view before_;
  std::map<int, OpenTraceback> open_;       // by rank
  std::multimap<int, std::size_t> doubts_;  // tracebacks after which the rank may still work
  std::map<std::pair<std::string, int>, std::size_t> sighted_;
  int ignored_at_ = 0;
  int summary_left_ = 0;
  bool is_root_cause_ = false;
  std::optional<int> summary_rank_;
  std::optional<std::int64_t> summary_time_;
};

LogReader::LogReader(const LogMatcher& matcher, LogStory& story, std::string source,
                     std::optional<int> rank, int attempt)
    : lines_(std::make_unique<Lines>(matcher, story, std::move(source), rank, attempt)) {}

LogReader::~LogReader() = default;

void LogReader::take(std::string_view bytes) {
  if (is_within_long_line_) {
    const auto end = bytes.find('\n');
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    is_within_long_line_ = false;
  }
  // The rest of a line first, so that most bytes are judged where they lie.
  if (!rest_.empty()) {
    const auto end = bytes.find('\n');
    rest_.append(bytes.substr(0, end == std::string_view::npos ? bytes.size() : end + 1));
    if (end != std::string_view::npos) {
      lines_->take(std::exchange(rest_, {}));
      bytes.remove_prefix(end + 1);
    } else {
      bytes = {};
    }
  }
  const auto last = bytes.rfind('\n');
  if (last != std::string_view::npos) {
    lines_->take(bytes.substr(0, last + 1));
    bytes.remove_prefix(last + 1);
  }
  rest_.append(bytes);
  if (rest_.size() > longest_rest) {
    rest_.resize(longest_log_line);
    rest_.push_back('\n');
    lines_->take(std::exchange(rest_, {}));
    is_within_long_line_ = true;
  }
}

void LogReader::end() {
  if (!rest_.empty()) {
    rest_.push_back('\n');
    lines_->take(std::exchange(rest_, {}));
  }
  lines_->end();
}

}  // namespace topsctl
