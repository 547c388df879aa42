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

#include "topsctl/model/catalogue/diagnosis.hpp"

namespace topsctl {

class LogMatcher {
 public:
  // The catalogue must outlive it. Throws Error{internal} for a pattern that is none, or that can
  // match text without any word of 4 characters: such a one would make every line be looked at.
  explicit LogMatcher(const DiagnosisCatalogue& catalogue);
  ~LogMatcher();

  // What may still be spent on comparing texts with patterns, for all logs of a job together. The
  // limit is for texts that resemble failures without being any, which would else take minutes.
  // Where it does not suffice, the patterns that have found nothing most often are left out for a
  // while.
  class Effort {
   public:
    static Effort unlimited();
    // Bytes of logs that were read.
    void earn(std::uint64_t bytes);
    // Whether a pattern was left out since the last call.
    bool was_short() { return std::exchange(was_short_, false); }

   private:
    friend class LogMatcher;
    static constexpr std::uint64_t most_at_once = std::uint64_t{64} << 20U;
    std::uint64_t credit_ = most_at_once;  // bytes, each compared with one pattern
    std::vector<std::uint64_t> misses_;    // by pattern
    std::vector<char> left_out_;           // by pattern; empty: none
    bool was_short_ = false;
  };

  // A position in the first line at or behind `from` that may matter, or npos. Lines that tell of
  // progress matter only if they are asked for: a sound log has little else.
  enum class Progress { ignored, wanted };
  std::size_t next(std::string_view text, std::size_t from, Progress progress,
                   const Effort& effort) const;

  // Of a diagnosis of the catalogue: its place there.
  std::size_t number_of(const Diagnosis* diagnosis) const;

  struct Meaning {
    std::vector<const Diagnosis*> diagnoses;
    bool is_progress = false;
    bool is_success = false;
    bool is_failure = false;
    bool is_setback = false;
    bool is_restart = false;
  };
  // Which parts of a meaning the caller needs.
  struct Wanted {
    // No need to find these again; by number_of().
    std::function<bool(std::size_t)> is_known = {};
    bool any_diagnosis = false;  // but to know whether there is one at all
    bool progress = true;
    bool failure = true;
  };
  // Of one line without its label, or of a traceback with its lines.
  Meaning meaning(std::string_view unit, const Wanted& wanted, Effort& effort) const;
  // All of it, whatever it takes.
  Meaning meaning(std::string_view unit) const;

 private:
  struct Compiled;
  class Reading;
  class Comparison;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace topsctl
