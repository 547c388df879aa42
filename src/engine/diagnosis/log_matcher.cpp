// Compiles the catalogue's patterns, and matches them against lines and tracebacks.
#include "topsctl/engine/diagnosis/log_matcher.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "engine/diagnosis/line_form.hpp"
#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

namespace {

// Lines that the log reader itself must see.
const std::vector<std::string> marks = {"Traceback \\(most recent call last\\)",
                                        "Exception ignored in",
                                        "--- Logging error ---",
                                        "Error in atexit\\._run_exitfuncs",
                                        "ChildFailedError",
                                        "(?:Error|Exception|Interrupt|Exit|Timeout|Expired): ",
                                        "  File \"[^\"]+\", line [0-9]",
                                        "srun: error: ",
                                        "Root Cause \\(first observed failure\\)"};

enum class Sign { mark, progress, success, failure, setback, restart };

struct Patterns {
  std::vector<std::string> texts;
  std::vector<const Diagnosis*> of_diagnosis;  // null: of a sign
  std::vector<Sign> of_sign;
  std::vector<bool> is_whole;  // it may need more than one line
  std::size_t of_note = 0;     // number of patterns except those of progress

  explicit Patterns(const DiagnosisCatalogue& catalogue) {
    for (const Diagnosis& diagnosis : catalogue.diagnoses) {
      for (const std::string& pattern : diagnosis.log) add(pattern, &diagnosis, Sign::progress);
    }
    for (const std::string& pattern : catalogue.signs.success) add(pattern, nullptr, Sign::success);
    for (const std::string& pattern : catalogue.signs.failure) add(pattern, nullptr, Sign::failure);
    for (const std::string& pattern : catalogue.signs.setback) add(pattern, nullptr, Sign::setback);
    for (const std::string& pattern : catalogue.signs.restart) add(pattern, nullptr, Sign::restart);
    for (const std::string& mark : marks) add(mark, nullptr, Sign::mark);
    of_note = texts.size();
    for (const std::string& pattern : catalogue.signs.progress)
      add(pattern, nullptr, Sign::progress);
  }

  void add(const std::string& pattern, const Diagnosis* diagnosis, Sign sign) {
    texts.push_back(pattern);
    of_diagnosis.push_back(diagnosis);
    of_sign.push_back(sign);
    is_whole.push_back(pattern.starts_with("(?s)"));
  }
};

}  // namespace

struct LogMatcher::Compiled {
  explicit Compiled(const DiagnosisCatalogue& catalogue)
      : first(catalogue.diagnoses.data()), patterns(catalogue), set(patterns.texts) {
    set.require_texts();
    for (const Diagnosis& diagnosis : catalogue.diagnoses) {
      if (!diagnosis.unless.empty()) unless.emplace(&diagnosis, Pattern(diagnosis.unless));
    }
    for (const std::string& pattern : catalogue.signs.data) data.emplace_back(pattern);
  }
  std::size_t number_of(const Diagnosis* diagnosis) const {
    return static_cast<std::size_t>(diagnosis - first);
  }
  bool is_data(std::string_view line) const {
    return std::any_of(data.begin(), data.end(),
                       [&](const Pattern& each) { return each.matches(line); });
  }
  const Diagnosis* first;
  Patterns patterns;
  PatternSet set;
  std::map<const Diagnosis*, Pattern> unless;
  std::vector<Pattern> data;
};

// Matches the patterns against one line or traceback, without quoted parts: source lines in a
// traceback, and values in quotes in a line.
class LogMatcher::Reading {
 public:
  Reading(const Compiled& compiled, std::string_view unit)
      : compiled_(compiled), unit_(unit), is_traceback_(unit.find('\n') != std::string_view::npos) {
    if (is_traceback_) said_ = without_source_lines(unit);
  }

  bool matches(std::size_t pattern) {
    const bool is_whole = !is_traceback_ || compiled_.patterns.is_whole[pattern];
    const PatternSet& set = compiled_.set;
    if (!set.matches(pattern, is_whole ? unit_ : said_)) return false;
    if (!is_line()) return true;
    if (!quoted_) quoted_ = quoted_line(unit_);
    const auto& inner = quoted_->quoted;
    const bool is_quoted = std::any_of(inner.begin(), inner.end(), [&](std::string_view each) {
      return set.matches(pattern, each);
    });
    return !is_quoted || set.matches(pattern, quoted_->around);
  }

  // Whether the line has the form of data: its text does not report events.
  bool is_data() { return is_line() && compiled_.is_data(unit_); }

 private:
  // Most texts match nothing, and are not asked.
  bool is_line() {
    if (!is_line_) is_line_ = !is_traceback_ && !is_exception(unit_) && !is_frame(unit_);
    return *is_line_;
  }

  const Compiled& compiled_;
  std::string_view unit_;
  bool is_traceback_;
  std::optional<bool> is_line_;
  std::string said_;
  std::optional<QuotedLine> quoted_;
};

LogMatcher::LogMatcher(const DiagnosisCatalogue& catalogue)
    : compiled_(std::make_unique<const Compiled>(catalogue)) {}

LogMatcher::~LogMatcher() = default;

std::size_t LogMatcher::number_of(const Diagnosis* diagnosis) const {
  return compiled_->number_of(diagnosis);
}

LogMatcher::Effort LogMatcher::Effort::unlimited() {
  Effort effort;
  effort.credit_ = std::numeric_limits<std::uint64_t>::max();
  return effort;
}

void LogMatcher::Effort::earn(std::uint64_t bytes) {
  constexpr std::uint64_t patterns_per_byte = 4;
  credit_ +=
      std::min(std::numeric_limits<std::uint64_t>::max() - credit_, patterns_per_byte * bytes);
  if (!left_out_.empty() && credit_ >= most_at_once / 2) left_out_.clear();
}

std::size_t LogMatcher::next(std::string_view text, std::size_t from, Progress progress,
                             const Effort& effort) const {
  const Patterns& patterns = compiled_->patterns;
  const std::size_t most = progress == Progress::wanted ? patterns.texts.size() : patterns.of_note;
  const std::size_t found = compiled_->set.find(text, from, most, effort.left_out_);
  return found == std::string_view::npos ? found : found - 1;
}

namespace {

// In addition to the text's bytes.
constexpr std::uint64_t cost_of_text = 128;
constexpr std::uint64_t cost_of_pattern = 256;

}  // namespace

// One text, and its comparison with patterns.
class LogMatcher::Comparison {
 public:
  Comparison(const Compiled& compiled, std::string_view unit, const Wanted& wanted, Effort& effort)
      : compiled_(compiled),
        unit_(unit),
        reading_(compiled, unit),
        wanted_(wanted),
        effort_(effort),
        tried_(effort.tried_),
        known_(effort.known_) {
    tried_.clear();
    known_.clear();
    effort_.misses_.resize(patterns().texts.size());
    for (const std::size_t i : compiled_.set.possible(unit, effort_.room_)) {
      if (!effort_.left_out_.empty() && effort_.left_out_[i] != 0) continue;
      ++effort_.misses_[i];
      (is_known(i) ? known_ : tried_).push_back(i);
    }
    spend(cost_of_text);
    leave_out_unaffordable();
  }

  Meaning meaning() {
    for (const std::size_t i : tried_) find_diagnosis(i);
    look_for(Sign::success, meaning_.is_success);
    look_for(Sign::restart, meaning_.is_restart);
    look_for(Sign::progress, meaning_.is_progress);
    if (wanted_.failure || meaning_.is_progress || !meaning_.diagnoses.empty()) {
      look_for(Sign::failure, meaning_.is_failure);
      look_for(Sign::setback, meaning_.is_setback);
    }
    // A progress line that reports a failure is always relevant.
    const bool is_good = meaning_.is_progress && !meaning_.is_failure && !meaning_.is_setback;
    if (wanted_.any_diagnosis || is_good) {
      for (const std::size_t i : known_) {
        if (meaning_.diagnoses.empty()) find_diagnosis(i);
      }
    }
    const bool says_much = !meaning_.diagnoses.empty() || meaning_.is_success ||
                           meaning_.is_failure || meaning_.is_setback;
    if (says_much && reading_.is_data()) {
      const bool is_progress = meaning_.is_progress;
      meaning_ = {};
      meaning_.is_progress = is_progress;
    }
    return std::move(meaning_);
  }

 private:
  const Patterns& patterns() const { return compiled_.patterns; }

  // Or needs not be known.
  bool is_known(std::size_t i) {
    const Diagnosis* diagnosis = patterns().of_diagnosis[i];
    if (diagnosis != nullptr) {
      // Most diagnoses have several consecutive patterns.
      if (diagnosis != std::exchange(asked_, diagnosis))
        is_asked_known_ = wanted_.is_known && wanted_.is_known(compiled_.number_of(diagnosis));
      return is_asked_known_;
    }
    const Sign sign = patterns().of_sign[i];
    return sign == Sign::mark || (sign == Sign::progress && !wanted_.progress);
  }

  void spend(std::uint64_t cost) { effort_.credit_ -= std::min(effort_.credit_, cost); }
  std::uint64_t cost_of_one() const { return cost_of_pattern + unit_.size(); }

  void leave_out_unaffordable() {
    const std::uint64_t affordable = effort_.credit_ / cost_of_one();
    if (tried_.size() + known_.size() <= affordable) return;
    std::vector<std::size_t> all = tried_;
    all.insert(all.end(), known_.begin(), known_.end());
    std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
      return effort_.misses_[a] < effort_.misses_[b];
    });
    effort_.was_short_ = true;
    effort_.left_out_.resize(patterns().texts.size());
    for (std::size_t i = affordable; i < all.size(); ++i) effort_.left_out_[all[i]] = 1;
    for (auto* list : {&tried_, &known_})
      std::erase_if(*list, [&](std::size_t i) { return effort_.left_out_[i] != 0; });
  }

  void look_for(Sign sign, bool& is_there) {
    for (const std::size_t i : tried_) {
      if (is_there) return;
      if (patterns().of_diagnosis[i] == nullptr && patterns().of_sign[i] == sign)
        is_there = matches(i);
    }
  }

  bool matches(std::size_t i) {
    spend(cost_of_one());
    const bool is_match = reading_.matches(i);
    if (is_match) --effort_.misses_[i];
    return is_match;
  }

  void find_diagnosis(std::size_t i) {
    auto& found = meaning_.diagnoses;
    const Diagnosis* diagnosis = patterns().of_diagnosis[i];
    if (diagnosis == nullptr || std::find(found.begin(), found.end(), diagnosis) != found.end() ||
        !matches(i))
      return;
    const auto unless = compiled_.unless.find(diagnosis);
    if (unless == compiled_.unless.end() || !unless->second.matches(unit_))
      found.push_back(diagnosis);
  }

  const Compiled& compiled_;
  std::string_view unit_;
  Reading reading_;
  const Wanted& wanted_;
  Effort& effort_;
  std::vector<std::size_t>& tried_;  // patterns, ascending
  std::vector<std::size_t>& known_;  // those that need not be found again
  const Diagnosis* asked_ = nullptr;
  bool is_asked_known_ = false;
  Meaning meaning_;
};

LogMatcher::Meaning LogMatcher::meaning(std::string_view unit, const Wanted& wanted,
                                        Effort& effort) const {
  return Comparison(*compiled_, unit, wanted, effort).meaning();
}

LogMatcher::Meaning LogMatcher::meaning(std::string_view unit) const {
  Effort effort = Effort::unlimited();
  return meaning(unit, {}, effort);
}

}  // namespace topsctl
