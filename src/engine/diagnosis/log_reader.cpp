// Finds the lines that may matter, and tells the story from them.
#include "engine/diagnosis/log_reader.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "engine/diagnosis/failure_list.hpp"
#include "engine/diagnosis/line_label.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t longest_unit = std::size_t{16} << 10U;  // bytes that are judged at once
constexpr std::size_t longest_rest = std::size_t{64} << 10U;  // bytes without a line end
constexpr std::size_t overlap = 512;        // bytes that two pieces of a long line share
constexpr std::size_t longest_label = 256;  // bytes of a line, colours among them
constexpr std::size_t longest_traceback = std::size_t{64} << 10U;
constexpr std::size_t most_sightings = 20;  // of one diagnosis, rank and file
// Of a whole job: from so many on one of each of these suffices, then one of a diagnosis and file.
constexpr std::size_t many_sightings = 32'768;
constexpr std::size_t too_many_sightings = 2 * many_sightings;
constexpr std::size_t most_open = 4096;  // tracebacks that are read at the same time
constexpr std::size_t most_tracebacks = 100;
constexpr std::size_t most_deaths = 4096;
constexpr std::size_t longest_text = 400;  // bytes of a sighting's line

constexpr int any_rank = -2;       // what is over as soon as any rank works
constexpr int ignored_within = 8;  // lines between the word that Python ignores and its traceback

// A piece of a line that does not begin there.
std::string continued(std::string_view piece) {
  return concat("... ", piece);
}

struct OpenTraceback {
  std::string text;
  bool is_ignored = false;
  std::optional<std::int64_t> time_ms;
};

}  // namespace

class LogReader::Lines {
 public:
  Lines(const LogMatcher& matcher, LogMatcher::Effort& effort, LogStory& story, std::string source,
        std::optional<int> rank, int attempt)
      : matcher_(matcher),
        effort_(effort),
        story_(story),
        source_(std::move(source)),
        rank_(rank),
        attempt_(attempt) {
    story_.attempts = std::max(story_.attempts, attempt_);
  }

  // Whole lines, each with its end.
  void take(std::string_view text) {
    take_lines(text);
    taken_ += text.size();
    clock_.keep(text);
  }

  void end() {
    for (auto& [rank, traceback] : std::exchange(open_, {})) close(rank, traceback, "");
  }

 private:
  enum class Told { sighting, traceback, death, failure };

  void take_lines(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
      if (open_.empty() && !summary_.is_open()) {
        const auto wanted =
            is_in_doubt() ? LogMatcher::Progress::wanted : LogMatcher::Progress::ignored;
        const std::size_t hit = matcher_.next(text, at, wanted, effort_);
        if (hit == std::string_view::npos) {
          count_lines(text.substr(at));
          return;
        }
        const std::size_t begin = line_begin(text, hit, at);
        count_lines(text.substr(at, begin - at));
        at = begin;
      }
      const std::size_t end = line_end(text, at);
      clock_.begin(taken_ + at, text.substr(0, at));
      const std::size_t next = behind_line_end(text, end);
      const bool is_first = is_at_line_begin_;
      count_lines(text.substr(at, next - at));
      // What two carriage returns enclose is no empty line.
      if (end > at || (is_first && is_at_line_begin_)) take_long_line(text.substr(at, end - at));
      at = next;
    }
  }

  // A progress bar writes many texts into one line, each behind a carriage return: each is judged.
  void take_long_line(std::string_view raw) {
    take_line(raw.substr(0, longest_unit));
    // A pattern's "^" is not to match where a piece begins.
    for (std::size_t at = longest_unit; at < raw.size(); at += longest_unit)
      take_line(continued(raw.substr(at - overlap, longest_unit + overlap)));
  }

  static int key_of(std::optional<int> rank) { return rank.value_or(-1); }

  // Whether it matters if a rank works: after something that may have ended it.
  bool is_in_doubt() const { return !doubts_.empty(); }
  bool is_in_doubt(int key) const { return doubts_.contains(key); }

  // Of whole parts of lines. A line counts as soon as it begins.
  void count_lines(std::string_view text) {
    if (text.empty()) return;
    effort_.earn(text.size());
    const bool has_end = text.back() == '\n';
    const std::string_view begun = text.substr(0, text.size() - (has_end ? 1 : 0));
    line_ += static_cast<int>(std::count(begun.begin(), begun.end(), '\n'));
    const std::size_t before = begun.rfind('\n');
    if (is_at_line_begin_) ++line_;
    if (is_at_line_begin_ && has_end && text.size() <= longest_unit) {
      labelled_.reset();  // it is over: no text or piece of it is still to come
    } else if (is_at_line_begin_ || before != std::string_view::npos) {
      const std::string_view last = begun.substr(before == std::string_view::npos ? 0 : before + 1);
      labelled_ = line_label(plain_line(last.substr(0, longest_label), room_)).rank;
    }
    is_at_line_begin_ = has_end;
  }

  // A text, or a piece of one. The label of the line holds for all in it.
  void take_line(std::string_view raw) {
    const std::string_view line = plain_line(raw, room_);
    const LineLabel label = line_label(line);
    const std::string_view words = line.substr(label.size);
    const std::optional<int> rank = label.rank ? label.rank : labelled_ ? labelled_ : rank_;
    if (summary_.is_open() && takes_summary(words)) return;
    if (words.find("Traceback (most recent call last)") != std::string_view::npos) {
      begin_traceback(words, rank);
      return;
    }
    const auto open = open_.find(key_of(rank));
    if (open != open_.end() && continues(open->second, words)) return;
    if (is_of_what_python_ignores(words)) ignored_at_[key_of(rank)] = line_;
    const LogMatcher::Meaning meaning = judge(
        words, words, rank, [&] { return clock_.time_of(words); }, false);
    if (meaning.is_restart) story_.attempts = std::max(story_.attempts, ++attempt_);
    if (meaning.is_success) story_.success = place_of(rank, clock_.time_of(words));
    const bool is_bad = !meaning.diagnoses.empty() || meaning.is_failure || meaning.is_setback;
    if (meaning.is_progress && !is_bad) clear_doubts(key_of(rank));
  }

  static bool is_of_what_python_ignores(std::string_view words) {
    return words.starts_with("Exception ignored in") ||
           words.starts_with("--- Logging error ---") ||
           words.starts_with("Error in atexit._run_exitfuncs");
  }

  LogPlace place_of(std::optional<int> rank, std::optional<std::int64_t> time_ms) {
    LogPlace place;
    place.source = source_;
    place.line = line_;
    place.rank = rank;
    place.time_ms = time_ms;
    // The list of failures is of the last attempt, whatever the log's path says.
    place.attempt = summary_.is_open() ? std::numeric_limits<int>::max() : attempt_;
    place.order = story_.sightings.size() + story_.tracebacks.size() + story_.deaths.size() +
                  story_.failures.size();
    return place;
  }

  void begin_traceback(std::string_view words, std::optional<int> rank) {
    const auto open = open_.find(key_of(rank));
    if (open != open_.end()) {
      // Of two headings in a row one is of another rank, whose lines stand among these.
      if (open->second.text.find('\n') + 1 < open->second.text.size())
        close(open->first, open->second, "");
      open_.erase(open);
    }
    OpenTraceback traceback;
    traceback.text = concat(words, "\n");
    const auto ignored = ignored_at_.find(key_of(rank));
    traceback.is_ignored =
        ignored != ignored_at_.end() && line_ - ignored->second <= ignored_within;
    if (traceback.is_ignored) ignored_at_.erase(ignored);
    traceback.time_ms = clock_.time_of(words);
    if (open_.size() >= most_open) {
      OpenTraceback other = std::move(open_.begin()->second);
      const int other_key = open_.begin()->first;
      open_.erase(open_.begin());
      close(other_key, other, "");
    }
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
    const bool is_launchers = exception.find("ChildFailedError") != std::string_view::npos;
    if (is_launchers) summary_.begin();
    const std::string_view shown =
        exception.empty() ? std::string_view("Traceback (most recent call last):") : exception;
    const LogMatcher::Meaning meaning = judge(
        traceback.text, shown, rank, [&] { return traceback.time_ms; }, traceback.is_ignored);
    if (story_.tracebacks.size() == most_tracebacks) return;
    Traceback told;
    told.place = place_of(rank, traceback.time_ms);
    told.place.is_overcome = traceback.is_ignored;
    told.text = printable(traceback.text, topsctl::Lines::keep);
    told.is_explained = is_launchers || !meaning.diagnoses.empty();
    doubt(is_launchers ? any_rank : key, Told::traceback, story_.tracebacks.size());
    story_.tracebacks.push_back(std::move(told));
  }

  void doubt(int key, Told told, std::size_t index) { doubts_[key].emplace_back(told, index); }

  // The time is asked for where it is told: to find it, lines before are read again.
  template <class Time>
  LogMatcher::Meaning judge(std::string_view unit, std::string_view shown, std::optional<int> rank,
                            Time time_ms, bool is_ignored) {
    const bool is_traceback = unit.find('\n') != std::string_view::npos;
    LogMatcher::Wanted wanted;
    wanted.is_known = [&](const Diagnosis* diagnosis) { return is_seen_enough(diagnosis, rank); };
    // A traceback is explained by whatever it shows, however often that was seen.
    wanted.any_diagnosis = is_traceback && story_.tracebacks.size() < most_tracebacks;
    wanted.progress = is_in_doubt(key_of(rank)) || is_in_doubt(any_rank);
    wanted.failure = !is_ignored && story_.failures.size() < most_tracebacks;
    const LogMatcher::Meaning meaning = matcher_.meaning(unit, wanted, effort_);
    const int key = meaning.is_setback || summary_.is_open() ? any_rank : key_of(rank);
    for (const Diagnosis* diagnosis : meaning.diagnoses) {
      if (is_seen_enough(diagnosis, rank)) continue;
      ++sighted_[diagnosis][key_of(rank)];
      LogPlace place = place_of(rank, time_ms());
      place.is_overcome = is_ignored;
      if (diagnosis->finding.severity != Severity::warning)
        doubt(key, Told::sighting, story_.sightings.size());
      story_.sightings.push_back({diagnosis->finding.id, std::move(place),
                                  shortened(printable(trimmed(shown)), longest_text)});
    }
    const bool is_failure = meaning.is_failure || meaning.is_setback;
    if (is_failure && !is_ignored && story_.failures.size() < most_tracebacks) {
      if (!meaning.is_failure) doubt(any_rank, Told::failure, story_.failures.size());
      story_.failures.push_back(place_of(rank, time_ms()));
    }
    return meaning;
  }

  bool is_seen_enough(const Diagnosis* diagnosis, std::optional<int> rank) const {
    const auto sighted = sighted_.find(diagnosis);
    if (sighted == sighted_.end()) return false;
    const std::size_t all = story_.sightings.size();
    if (all >= too_many_sightings) return true;
    const auto of_rank = sighted->second.find(key_of(rank));
    return of_rank != sighted->second.end() &&
           of_rank->second >= (all < many_sightings ? most_sightings : 1);
  }

  // The rank works: what seemed to have ended it did not.
  void clear_doubts(int key) {
    for (const int each : {key, any_rank}) {
      const auto doubts = doubts_.find(each);
      if (doubts == doubts_.end()) continue;
      for (const auto& doubt : doubts->second) place_told(doubt).is_overcome = true;
      doubts_.erase(doubts);
    }
  }

  LogPlace& place_told(const std::pair<Told, std::size_t>& what) {
    const auto [told, index] = what;
    if (told == Told::sighting) return story_.sightings[index].place;
    if (told == Told::traceback) return story_.tracebacks[index].place;
    if (told == Told::death) return story_.deaths[index].place;
    return story_.failures[index];
  }

  // One line of the list that torchrun prints behind ChildFailedError.
  bool takes_summary(std::string_view words) {
    const FailureList::Line line = summary_.take(words);
    if (line != FailureList::Line::failure) return line == FailureList::Line::of_list;
    const FailureList::Failure& last = summary_.last();
    if (last.status != 0 && story_.deaths.size() < most_deaths) {
      doubt(any_rank, Told::death, story_.deaths.size());
      story_.deaths.push_back({place_of(last.rank, last.time_ms), last.status, last.is_root_cause});
    }
    if (story_.deaths.size() == most_deaths) return true;
    // What the line means besides, such as a signal, is judged as any other's.
    judge(
        words, words, last.rank, [&] { return last.time_ms; }, false);
    return true;
  }

  const LogMatcher& matcher_;
  LogMatcher::Effort& effort_;
  LogStory& story_;
  std::string source_;
  std::string room_;  // of a line without what is for terminals
  std::optional<int> rank_;
  int attempt_;
  int line_ = 0;  // the line that was begun last, from 1
  bool is_at_line_begin_ = true;
  std::optional<int> labelled_;  // the rank that the line's label names
  std::uint64_t taken_ = 0;      // bytes of the log before those that are taken now
  LineClock clock_;
  std::map<int, OpenTraceback> open_;  // by rank
  // After which the rank may still work.
  std::unordered_map<int, std::vector<std::pair<Told, std::size_t>>> doubts_;
  // By diagnosis and rank.
  std::unordered_map<const Diagnosis*, std::unordered_map<int, std::size_t>> sighted_;
  std::map<int, int> ignored_at_;  // the line, by rank
  FailureList summary_;
};

LogReader::LogReader(const LogMatcher& matcher, LogMatcher::Effort& effort, LogStory& story,
                     std::string source, std::optional<int> rank, int attempt)
    : lines_(std::make_unique<Lines>(matcher, effort, story, std::move(source), rank, attempt)) {}

LogReader::~LogReader() = default;

void LogReader::take(std::string_view bytes) {
  // The rest of a line first, so that most bytes are judged where they lie.
  if (!rest_.empty() && !bytes.empty()) {
    const auto end = bytes.find('\n');
    const std::size_t size = end == std::string_view::npos ? bytes.size() : end + 1;
    rest_.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    take_rest();
  }
  const std::size_t whole = size_of_whole_lines(bytes);
  if (whole != 0) lines_->take(bytes.substr(0, whole));
  rest_.append(bytes.substr(whole));
  take_rest();
}

// Of the rest what is whole; of what is too long all but its end.
void LogReader::take_rest() {
  const std::size_t whole = size_of_whole_lines(rest_);
  if (whole != 0) {
    lines_->take(std::string_view(rest_).substr(0, whole));
    rest_.erase(0, whole);
  }
  if (rest_.size() <= longest_rest) return;
  std::string begin = continued(std::string_view(rest_).substr(rest_.size() - overlap));
  rest_.push_back('\r');
  lines_->take(std::exchange(rest_, std::move(begin)));
}

void LogReader::end() {
  if (!rest_.empty()) {
    rest_.push_back('\n');
    lines_->take(std::exchange(rest_, {}));
  }
  lines_->end();
}

}  // namespace topsctl
