// Compiles the catalogue's patterns, and says which of them a line or traceback matches.
#include "topsctl/engine/diagnosis/log_matcher.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

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

enum class Sign { progress, success, failure, setback, restart };

struct Patterns {
  std::vector<std::string> texts;
  std::vector<const Diagnosis*> of_diagnosis;  // null: of a sign
  std::vector<Sign> of_sign;

  explicit Patterns(const DiagnosisCatalogue& catalogue) {
    for (const Diagnosis& diagnosis : catalogue.diagnoses) {
      for (const std::string& pattern : diagnosis.log) add(pattern, &diagnosis, Sign::progress);
    }
    for (const std::string& pattern : catalogue.signs.success) add(pattern, nullptr, Sign::success);
    for (const std::string& pattern : catalogue.signs.failure) add(pattern, nullptr, Sign::failure);
    for (const std::string& pattern : catalogue.signs.setback) add(pattern, nullptr, Sign::setback);
    for (const std::string& pattern : catalogue.signs.restart) add(pattern, nullptr, Sign::restart);
    for (const std::string& pattern : catalogue.signs.progress)
      add(pattern, nullptr, Sign::progress);
  }

  void add(const std::string& pattern, const Diagnosis* diagnosis, Sign sign) {
    texts.push_back(pattern);
    of_diagnosis.push_back(diagnosis);
    of_sign.push_back(sign);
  }

  // All but those of progress, and what the reader needs.
  std::vector<std::string> of_note(std::size_t without) const {
    std::vector<std::string> list(texts.begin(),
                                  texts.end() - static_cast<std::ptrdiff_t>(without));
    list.insert(list.end(), marks.begin(), marks.end());
    return list;
  }
  std::vector<std::string> all() const { return of_note(0); }
};

}  // namespace

struct LogMatcher::Compiled {
  explicit Compiled(const DiagnosisCatalogue& catalogue)
      : patterns(catalogue),
        of_note(patterns.of_note(catalogue.signs.progress.size())),
        set(patterns.texts) {
    for (const Diagnosis& diagnosis : catalogue.diagnoses) {
      if (!diagnosis.unless.empty()) unless.emplace(&diagnosis, Pattern(diagnosis.unless));
    }
  }
  // Made when it is needed: a log in which nothing went wrong is read without it.
  const PatternScan& all() const {
    std::call_once(made_, [&] { all_.emplace(patterns.all()); });
    return *all_;
  }
  Patterns patterns;
  PatternScan of_note;
  PatternSet set;
  std::map<const Diagnosis*, Pattern> unless;

 private:
  mutable std::once_flag made_;
  mutable std::optional<PatternScan> all_;
};

LogMatcher::LogMatcher(const DiagnosisCatalogue& catalogue)
    : compiled_(std::make_unique<const Compiled>(catalogue)) {}

LogMatcher::~LogMatcher() = default;

std::size_t LogMatcher::next(std::string_view text, std::size_t from, Progress progress) const {
  const PatternScan& scan = progress == Progress::wanted ? compiled_->all() : compiled_->of_note;
  const std::size_t found = scan.find(text, from);
  return found == std::string_view::npos ? found : found - 1;
}

LogMatcher::Meaning LogMatcher::meaning(std::string_view unit) const {
  Meaning meaning;
  for (const std::size_t i : compiled_->set.matches(unit)) {
    const Diagnosis* diagnosis = compiled_->patterns.of_diagnosis[i];
    if (diagnosis == nullptr) {
      const Sign sign = compiled_->patterns.of_sign[i];
      meaning.is_progress |= sign == Sign::progress;
      meaning.is_success |= sign == Sign::success;
      meaning.is_failure |= sign == Sign::failure;
      meaning.is_setback |= sign == Sign::setback;
      meaning.is_restart |= sign == Sign::restart;
      continue;
    }
    const auto unless = compiled_->unless.find(diagnosis);
    if (unless != compiled_->unless.end() && unless->second.matches(unit)) continue;
    auto& found = meaning.diagnoses;
    if (std::find(found.begin(), found.end(), diagnosis) == found.end()) found.push_back(diagnosis);
  }
  return meaning;
}

}  // namespace topsctl
