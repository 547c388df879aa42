// Compiles the catalogue's patterns, and says which of them a line or traceback matches.
#include "topsctl/engine/diagnosis/log_matcher.hpp"

#include <algorithm>
#include <map>

#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

namespace {

// What the reader of logs itself must see.
const std::vector<std::string> marks = {"Traceback \\(most recent call last\\)",
                                        "Exception ignored in",
                                        "--- Logging error ---",
                                        "Error in atexit\\._run_exitfuncs",
                                        "ChildFailedError",
                                        "Root Cause \\(first observed failure\\)"};

enum class Sign { mark, progress, success, failure, setback, restart };

struct Patterns {
  std::vector<std::string> texts;
  std::vector<const Diagnosis*> of_diagnosis;  // null: of a sign
  std::vector<Sign> of_sign;
  std::size_t of_note = 0;  // so many, all but those of progress

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
  }
  Patterns patterns;
  PatternSet set;
  std::map<const Diagnosis*, Pattern> unless;
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
  for (const std::size_t i : possible) {
    if (patterns.of_diagnosis[i] != nullptr || !compiled_->set.matches(i, unit)) continue;
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
    if (!compiled_->set.matches(i, unit)) continue;
    const auto unless = compiled_->unless.find(diagnosis);
    if (unless != compiled_->unless.end() && unless->second.matches(unit)) continue;
    found.push_back(diagnosis);
  }
  return meaning;
}

}  // namespace topsctl
