// Compiles the catalogue's patterns, and says which of them a line or traceback matches.
#include "topsctl/engine/diagnosis/log_matcher.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/diagnosis/line_form.hpp"
#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

namespace {

// What the reader of logs itself must see.
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
  std::size_t of_note = 0;     // so many, all but those of progress

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
      : patterns(catalogue), set(patterns.texts) {
    set.require_texts();
    for (const Diagnosis& diagnosis : catalogue.diagnoses) {
      if (!diagnosis.unless.empty()) unless.emplace(&diagnosis, Pattern(diagnosis.unless));
    }
    for (const std::string& pattern : catalogue.signs.data) data.emplace_back(pattern);
  }
  bool is_data(std::string_view line) const {
    return std::any_of(data.begin(), data.end(),
                       [&](const Pattern& each) { return each.matches(line); });
  }
  Patterns patterns;
  PatternSet set;
  std::map<const Diagnosis*, Pattern> unless;
  std::vector<Pattern> data;
};

// Matches the patterns against one line or traceback, without what is only quoted there: the source
// in a traceback, a text that is the value of something in a line.
class LogMatcher::Reading {
 public:
  Reading(const Compiled& compiled, std::string_view unit)
      : compiled_(compiled),
        unit_(unit),
        is_traceback_(unit.find('\n') != std::string_view::npos),
        is_line_(!is_traceback_ && !is_exception(unit) && !is_frame(unit)) {
    if (is_traceback_) said_ = without_source_lines(unit);
  }

  bool matches(std::size_t pattern) {
    const bool is_whole = !is_traceback_ || compiled_.patterns.is_whole[pattern];
    const PatternSet& set = compiled_.set;
    if (!set.matches(pattern, is_whole ? unit_ : said_)) return false;
    if (!is_line_) return true;
    if (!quoted_) quoted_ = quoted_line(unit_);
    const auto& inner = quoted_->quoted;
    const bool is_quoted = std::any_of(inner.begin(), inner.end(), [&](std::string_view each) {
      return set.matches(pattern, each);
    });
    return !is_quoted || set.matches(pattern, quoted_->around);
  }

  // Whether the line has the form of data: nothing that it says has happened.
  bool is_data() const { return is_line_ && compiled_.is_data(unit_); }

 private:
  const Compiled& compiled_;
  std::string_view unit_;
  bool is_traceback_;
  bool is_line_;
  std::string said_;
  std::optional<QuotedLine> quoted_;
};

LogMatcher::LogMatcher(const DiagnosisCatalogue& catalogue)
    : compiled_(std::make_unique<const Compiled>(catalogue)) {}

LogMatcher::~LogMatcher() = default;

std::size_t LogMatcher::next(std::string_view text, std::size_t from, Progress progress) const {
  const Patterns& patterns = compiled_->patterns;
  const std::size_t most = progress == Progress::wanted ? patterns.texts.size() : patterns.of_note;
  const std::size_t found = compiled_->set.find(text, from, most);
  return found == std::string_view::npos ? found : found - 1;
}

LogMatcher::Meaning LogMatcher::meaning(
    std::string_view unit, const std::function<bool(const Diagnosis*)>& is_known) const {
  Meaning meaning;
  const Patterns& patterns = compiled_->patterns;
  const std::vector<std::size_t> possible = compiled_->set.possible(unit);
  Reading reading(*compiled_, unit);
  for (const std::size_t i : possible) {
    if (patterns.of_diagnosis[i] != nullptr || !reading.matches(i)) continue;
    const Sign sign = patterns.of_sign[i];
    meaning.is_progress |= sign == Sign::progress;
    meaning.is_success |= sign == Sign::success;
    meaning.is_failure |= sign == Sign::failure;
    meaning.is_setback |= sign == Sign::setback;
    meaning.is_restart |= sign == Sign::restart;
  }
  auto& found = meaning.diagnoses;
  for (const std::size_t i : possible) {
    const Diagnosis* diagnosis = patterns.of_diagnosis[i];
    if (diagnosis == nullptr || std::find(found.begin(), found.end(), diagnosis) != found.end())
      continue;
    // Whether a line of progress tells of something bad matters always.
    if (!meaning.is_progress && is_known && is_known(diagnosis)) continue;
    if (!reading.matches(i)) continue;
    const auto unless = compiled_->unless.find(diagnosis);
    if (unless != compiled_->unless.end() && unless->second.matches(unit)) continue;
    found.push_back(diagnosis);
  }
  const bool says_much =
      !found.empty() || meaning.is_success || meaning.is_failure || meaning.is_setback;
  if (says_much && reading.is_data()) {
    const bool is_progress = meaning.is_progress;
    meaning = {};
    meaning.is_progress = is_progress;
  }
  return meaning;
}

}  // namespace topsctl
