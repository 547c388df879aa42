// The catalogue's patterns for logs, compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topsctl/host/system/pattern.hpp"
#include "topsctl/model/catalogue/diagnosis.hpp"

namespace topsctl {

class LogMatcher {
 public:
  // The catalogue must outlive it. Throws Error{internal} for an invalid pattern, and for one that
  // can match text without any word of 4 characters: it would have to be tried on every line.
  explicit LogMatcher(const DiagnosisCatalogue& catalogue);
  ~LogMatcher();

  // Remaining effort for matching, for all logs of a job together. The limit is for texts that
  // resemble failures, which could otherwise take minutes. When it is used up, the patterns with
  // the most misses are skipped for a while.
  class Effort {
   public:
    static Effort unlimited();
    // Adds effort for this number of log bytes read.
    void earn(std::uint64_t bytes);
    // Whether a pattern was skipped since the last call.
    bool was_short() { return std::exchange(was_short_, false); }

   private:
    friend class LogMatcher;
    static constexpr std::uint64_t most_at_once = std::uint64_t{64} << 20U;
    std::uint64_t credit_ = most_at_once;  // bytes, each compared with one pattern
    std::vector<std::uint64_t> misses_;    // by pattern
    std::vector<char> left_out_;           // by pattern; empty: none
    bool was_short_ = false;
    // Of one text, kept for the next one.
    PatternSet::Room room_;
    std::vector<std::size_t> tried_;
    std::vector<std::size_t> known_;
  };

  // The position of the first line at or after `from` that may be relevant, or npos. Progress lines
  // count only with Progress::wanted: the log of a working job has mostly those.
  enum class Progress { ignored, wanted };
  std::size_t next(std::string_view text, std::size_t from, Progress progress,
                   const Effort& effort) const;

  // The index of a diagnosis in the catalogue.
  std::size_t number_of(const Diagnosis* diagnosis) const;

  struct Meaning {
    std::vector<const Diagnosis*> diagnoses;
    bool is_progress = false;
    bool is_success = false;
    bool is_failure = false;
    bool is_setback = false;
    bool is_restart = false;
  };
  // The parts of a meaning that the caller needs.
  struct Wanted {
    // Diagnoses that need not be found again; by number_of().
    std::function<bool(std::size_t)> is_known = {};
    bool any_diagnosis = false;  // true: any one diagnosis suffices
    bool progress = true;
    bool failure = true;
  };
  // Of one line without its label, or of a whole traceback.
  Meaning meaning(std::string_view unit, const Wanted& wanted, Effort& effort) const;
  // Complete, without a limit on the effort.
  Meaning meaning(std::string_view unit) const;

 private:
  struct Compiled;
  class Reading;
  class Comparison;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace topsctl
