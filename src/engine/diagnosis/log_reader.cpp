// Finds relevant lines, and builds the timeline from them.
#include "engine/diagnosis/log_reader.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "engine/diagnosis/line_form.hpp"
#include "engine/diagnosis/line_label.hpp"
#include "engine/diagnosis/sighting_count.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t longest_unit = std::size_t{16} << 10U;  // bytes that are judged at once
constexpr std::size_t longest_rest = std::size_t{64} << 10U;  // bytes without a line end
constexpr std::size_t overlap = 512;        // bytes that two pieces of a long line share
constexpr std::size_t longest_label = 256;  // bytes of a line, colours among them
constexpr std::size_t longest_traceback = std::size_t{64} << 10U;
constexpr std::size_t most_open = 4096;  // tracebacks that are open at the same time
constexpr std::size_t most_tracebacks = 100;
constexpr std::size_t most_deaths = 4096;
constexpr std::size_t longest_text = 400;  // bytes of a sighting's line

constexpr int unlabelled = -1;  // lines without a rank or host
constexpr int any_rank = -2;    // over as soon as any rank makes progress
constexpr int first_host = -3;  // downwards
constexpr std::size_t most_hosts = 10'000;
constexpr int ignored_within = 8;  // lines between the word that Python ignores and its traceback

struct OpenTraceback {
  std::string text;
  bool has_heading = true;  // else its first line is a frame
  bool is_ignored = false;
  std::optional<std::int64_t> time_ms;
};

}  // namespace

class LogReader::Lines {
 public:
  Lines(const LogMatcher& matcher, LogMatcher::Effort& effort, LogTimeline& story,
        std::string source, std::optional<int> rank, int attempt)
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
    for (auto& [key, traceback] : std::exchange(open_, {})) {
      if (traceback.has_heading) close(key, traceback, "");
    }
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
      // The text between two carriage returns is not an empty line.
      if (end > at || (is_first && is_at_line_begin_)) take_long_line(text.substr(at, end - at));
      at = next;
    }
  }

  // A progress bar writes many texts into one line, each behind a carriage return: each is judged.
  void take_long_line(std::string_view raw) {
    take_line(raw.substr(0, longest_unit));
    // A pattern's "^" must not match at the beginning of a further piece.
    for (std::size_t at = longest_unit; at < raw.size(); at += longest_unit)
      take_line(concat("... ", raw.substr(at - overlap, longest_unit + overlap)));
  }

  // The key of a writer: the rank; a host whose lines have no rank; or -1.
  int key_of(std::optional<int> rank, std::string_view host) {
    const auto known = hosts_.find(host);
    const bool is_new = !host.empty() && known == hosts_.end() && hosts_.size() < most_hosts;
    const int next = first_host - static_cast<int>(hosts_.size());
    if (is_new) hosts_.emplace(host, next);
    if (rank) return *rank;
    return is_new ? next : known == hosts_.end() ? unlabelled : known->second;
  }
  static std::optional<int> rank_of(int key) { return key < 0 ? std::nullopt : std::optional(key); }

  // Whether progress of a rank is relevant: for the first time, or after a possible end.
  bool is_in_doubt() const { return !has_worked_ || !doubts_.empty(); }
  bool is_in_doubt(int key) const { return !has_worked_ || doubts_.contains(key); }

  // Counts the lines in parts of the log. A line counts when it begins.
  void count_lines(std::string_view text) {
    if (text.empty()) return;
    effort_.earn(text.size());
    const bool has_end = text.back() == '\n';
    const std::string_view begun = text.substr(0, text.size() - (has_end ? 1 : 0));
    // Most often it is one line.
    const bool has_more = begun.find('\n') != std::string_view::npos;
    if (has_more) line_ += static_cast<int>(std::count(begun.begin(), begun.end(), '\n'));
    const std::size_t before = has_more ? begun.rfind('\n') : std::string_view::npos;
    if (is_at_line_begin_) ++line_;
    if (is_at_line_begin_ && has_end && text.size() <= longest_unit) {
      labelled_.reset();  // the labelled line has ended
    } else if (is_at_line_begin_ || before != std::string_view::npos) {
      const std::string_view last = begun.substr(before == std::string_view::npos ? 0 : before + 1);
      labelled_ = line_label(plain_line(last.substr(0, longest_label), room_), hosts_).rank;
    }
    is_at_line_begin_ = has_end;
  }

  // A text, or a piece of one. The label applies to the whole line.
  void take_line(std::string_view raw) {
    const std::string_view line = plain_line(unwrapped_line(raw, inner_room_), room_);
    const LineLabel label = line_label(line, hosts_);
    const std::string_view words = line.substr(label.size);
    const std::optional<int> rank = label.rank ? label.rank : labelled_ ? labelled_ : rank_;
    const int key = key_of(rank, label.host);
    line_now_ = raw;
    if (summary_.is_open() && takes_summary(words)) return;
    if (words.find("Traceback (most recent call last)") != std::string_view::npos)
      return begin_traceback(words, key);
    if (continues(key, words)) return;
    if (is_frame(words)) {
      begin_traceback(words, key);
      open_.at(key).has_heading = false;
      return;
    }
    if (is_of_what_python_ignores(words)) ignored_at_[key] = line_;
    if (is_exception(words)) {
      OpenTraceback alone{"", false, is_within_ignored(key), {}};
      close(key, alone, words);
      return;
    }
    const LogMatcher::Meaning meaning = judge(
        words, words, key, [&] { return time(); }, false);
    if (const int status = srun_status(words); status != 0 && story_.deaths.size() < most_deaths)
      story_.deaths.push_back({place_of(std::nullopt, time()), status, false});
    if (meaning.is_restart) story_.attempts = std::max(story_.attempts, ++attempt_);
    if (meaning.is_success) story_.success = place_of(rank, time());
    const bool is_bad = !meaning.diagnoses.empty() || meaning.is_failure || meaning.is_setback;
    if (meaning.is_progress && !is_bad) clear_doubts(key);
  }

  std::optional<std::int64_t> time() { return clock_.time_of(line_now_); }

  LogPlace place_of(std::optional<int> rank, std::optional<std::int64_t> time_ms) {
    LogPlace place;
    place.source = source_;
    place.line = line_;
    place.rank = rank;
    place.time_ms = time_ms;
    // The list of failures belongs to the last attempt, regardless of the log's path.
    place.attempt = summary_.is_open() ? std::numeric_limits<int>::max() : attempt_;
    place.order = story_.sightings.size() + story_.tracebacks.size() + story_.deaths.size() +
                  story_.failures.size();
    return place;
  }

  bool is_within_ignored(int key) {
    const auto ignored = ignored_at_.find(key);
    const bool is_within =
        ignored != ignored_at_.end() && line_ - ignored->second <= ignored_within;
    if (is_within) ignored_at_.erase(ignored);
    return is_within;
  }

  void begin_traceback(std::string_view words, int key) {
    const auto open = open_.find(key);
    if (open != open_.end()) {
      // Of two consecutive headings, one belongs to another rank, whose lines are interleaved.
      if (open->second.text.find('\n') + 1 < open->second.text.size())
        close(open->first, open->second, "");
      open_.erase(open);
    }
    OpenTraceback traceback;
    traceback.text = concat(words, "\n");
    traceback.is_ignored = is_within_ignored(key);
    traceback.time_ms = time();
    if (open_.size() >= most_open) {
      OpenTraceback other = std::move(open_.begin()->second);
      const int other_key = open_.begin()->first;
      open_.erase(open_.begin());
      close(other_key, other, "");
    }
    open_.emplace(key, std::move(traceback));
  }

  // Whether the line belongs to a traceback that is open. The line of the exception ends it.
  bool continues(int key, std::string_view words) {
    const auto open = open_.find(key);
    if (open == open_.end()) return false;
    const std::string_view text = trimmed(words);
    const bool is_inner = words.starts_with(' ') || words.starts_with('\t') || text.empty() ||
                          text.starts_with("[Previous line repeated");
    if (is_inner) {
      std::string& all = open->second.text;
      if (all.size() < longest_traceback) all.append(concat(words, "\n"));
      return true;
    }
    OpenTraceback whole = std::move(open->second);
    open_.erase(open);
    // Programs also print frames alone, to show their position.
    if (!whole.has_heading && !is_exception(words)) return false;
    close(key, whole, words);
    return true;
  }

  // The time of an exception without a traceback is that of its line.
  void close(int key, OpenTraceback& traceback, std::string_view exception) {
    const bool is_alone = traceback.text.empty();
    const auto time_ms = [&] { return is_alone ? time() : traceback.time_ms; };
    traceback.text.append(exception);
    const bool is_launchers = exception.find("ChildFailedError") != std::string_view::npos;
    if (is_launchers) summary_.begin();
    const std::string_view shown =
        exception.empty() ? std::string_view("Traceback (most recent call last):") : exception;
    const LogMatcher::Meaning meaning =
        judge(traceback.text, shown, key, time_ms, traceback.is_ignored);
    if (story_.tracebacks.size() == most_tracebacks) return;
    Traceback told;
    told.place = place_of(rank_of(key), time_ms());
    told.place.is_overcome = traceback.is_ignored;
    told.text = printable(traceback.text, topsctl::Lines::keep);
    told.is_explained = is_launchers || !meaning.diagnoses.empty();
    doubt(is_launchers ? any_rank : doubted(key), Told::traceback, story_.tracebacks.size());
    story_.tracebacks.push_back(std::move(told));
  }

  // Lines before the first step of any rank may apply to all ranks, such as the shell's.
  int doubted(int key) const { return key == unlabelled && !has_worked_ ? any_rank : key; }

  void doubt(int key, Told told, std::size_t index) { doubts_[key].emplace_back(told, index); }

  // The time is computed only if needed, because it requires reading earlier lines again.
  template <class Time>
  LogMatcher::Meaning judge(std::string_view unit, std::string_view shown, int from, Time time_ms,
                            bool is_ignored) {
    const std::optional<int> rank = rank_of(from);
    const bool is_traceback = unit.find('\n') != std::string_view::npos;
    LogMatcher::Wanted wanted;
    wanted.is_known = [&](std::size_t diagnosis) { return is_seen_enough(diagnosis, from); };
    // Any diagnosis explains a traceback, even one that was seen often before.
    wanted.any_diagnosis = is_traceback && story_.tracebacks.size() < most_tracebacks;
    wanted.progress = is_in_doubt(from) || is_in_doubt(any_rank);
    wanted.failure = !is_ignored && story_.failures.size() < most_tracebacks;
    const LogMatcher::Meaning meaning = matcher_.meaning(unit, wanted, effort_);
    const int key = meaning.is_setback || summary_.is_open() ? any_rank : doubted(from);
    for (const Diagnosis* diagnosis : meaning.diagnoses) {
      if (!sighted_.note(matcher_.number_of(diagnosis), from, story_.sightings.size())) continue;
      LogPlace place = place_of(rank, time_ms());
      place.is_overcome = is_ignored;
      if (diagnosis->finding.severity != Severity::warning || diagnosis->passes)
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

  bool is_seen_enough(std::size_t diagnosis, int key) const {
    return sighted_.is_enough(diagnosis, key, story_.sightings.size());
  }

  // The rank makes progress: an apparent end was none.
  void clear_doubts(int key) {
    has_worked_ = true;
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

  // One line of the list that torchrun prints after ChildFailedError.
  bool takes_summary(std::string_view words) {
    const FailureList::Line line = summary_.take(words);
    if (line != FailureList::Line::failure) return line == FailureList::Line::of_list;
    const FailureList::Failure& last = summary_.last();
    if (last.status != 0 && story_.deaths.size() < most_deaths) {
      doubt(any_rank, Told::death, story_.deaths.size());
      story_.deaths.push_back({place_of(last.rank, last.time_ms), last.status, last.is_root_cause});
    }
    if (story_.deaths.size() == most_deaths) return true;
    // Further meanings of the line, such as a signal, are judged as for any other line.
    judge(
        words, words, last.rank.value_or(unlabelled), [&] { return last.time_ms; }, false);
    return true;
  }

  const LogMatcher& matcher_;
  LogMatcher::Effort& effort_;
  LogTimeline& story_;
  std::string source_;
  std::string room_;        // for a line without terminal control sequences
  std::string inner_room_;  // for a line of Docker's log driver
  std::string_view line_now_;
  HostNames hosts_;
  bool has_worked_ = false;  // any rank
  std::optional<int> rank_;
  int attempt_;
  int line_ = 0;  // the line that was begun last, from 1
  bool is_at_line_begin_ = true;
  std::optional<int> labelled_;  // the rank that the line's label names
  std::uint64_t taken_ = 0;      // bytes of the log before the current ones
  LineClock clock_;
  std::map<int, OpenTraceback> open_;  // by key_of()
  // After which the rank may still work.
  std::unordered_map<int, std::vector<std::pair<Told, std::size_t>>> doubts_;
  SightingCount sighted_;
  std::map<int, int> ignored_at_;  // the line, by rank
  FailureList summary_;
};

LogReader::LogReader(const LogMatcher& matcher, LogMatcher::Effort& effort, LogTimeline& story,
                     std::string source, std::optional<int> rank, int attempt)
    : lines_(std::make_unique<Lines>(matcher, effort, story, std::move(source), rank, attempt)) {}

LogReader::~LogReader() = default;

void LogReader::take(std::string_view bytes) {
  // The rest of a line first, so that most bytes are judged without a copy.
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

// Takes the complete lines of the rest; of a line that is too long, all except its end.
void LogReader::take_rest() {
  const std::size_t whole = size_of_whole_lines(rest_);
  if (whole != 0) {
    lines_->take(std::string_view(rest_).substr(0, whole));
    rest_.erase(0, whole);
  }
  if (rest_.size() <= longest_rest) return;
  std::string begin = concat("... ", std::string_view(rest_).substr(rest_.size() - overlap));
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
