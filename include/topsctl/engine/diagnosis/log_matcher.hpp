// The catalogue's patterns for logs, compiled.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/catalogue/diagnosis.hpp"

namespace topsctl {

class LogMatcher {
 public:
  // The catalogue must outlive it. Throws Error{internal} for a pattern that is none, or that can
  // match text without any word of 4 characters: such a one would make every line be looked at.
  explicit LogMatcher(const DiagnosisCatalogue& catalogue);
  ~LogMatcher();

  // A position in the first line at or behind `from` that may matter, or npos. Lines that tell of
  // progress matter only if they are asked for: a sound log has little else.
  enum class Progress { ignored, wanted };
  std::size_t next(std::string_view text, std::size_t from, Progress progress) const;

  struct Meaning {
    std::vector<const Diagnosis*> diagnoses;
    bool is_progress = false;
    bool is_success = false;
    bool is_failure = false;
    bool is_setback = false;
    bool is_restart = false;
  };
  // Of one line without its label, or of a traceback with its lines. Skips the diagnoses for which
  // is_known returns true, except on lines that report progress.
  Meaning meaning(std::string_view unit,
                  const std::function<bool(const Diagnosis*)>& is_known = {}) const;

 private:
  struct Compiled;
  class Reading;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace topsctl
