// The catalogue of diagnoses: problems of trainings, how they are recognized, and their fixes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

// The texts of a finding in one language.
struct FindingTexts {
  std::string title;
  std::string cause;
  std::string remedy;
  bool operator==(const FindingTexts&) const = default;
};

// One comparison with a host's signal of that name. It is never met if the signal is unknown.
struct SignalCondition {
  enum class Comparison { equals, differs, below, above };
  std::string signal;
  Comparison comparison = Comparison::equals;
  std::string value;  // a number, or a text for the first two; or the name of another signal in
                      // braces
  bool operator==(const SignalCondition&) const = default;
};

struct Diagnosis {
  Finding finding;  // id, severity and English texts; no subject, no evidence
  FindingTexts chinese;
  std::string backend;                   // it applies to stacks of this backend: "eccl"; empty: to
                                         // all
  std::vector<std::string> explains;     // ids of its effects
  bool is_effect = false;                // never a first cause
  bool is_last_resort = false;           // a first cause only if nothing else went wrong
  bool passes = false;                   // over as soon as a rank makes progress
  bool disturbs_jobs = false;            // its remedy interrupts jobs
  bool restart_helps = false;            // a restart of the same run may succeed
  std::vector<std::string> log;          // patterns for one line or one traceback, RE2; any of them
  std::vector<SignalCondition> machine;  // all of them
  std::optional<Severity> severity_on_host;  // if only `machine` is met; nothing: the same severity
  std::vector<std::string> source;           // ids of project findings
  std::string unless;                        // excludes lines or tracebacks that match it
  std::vector<std::string> refs;             // where it was observed or is explained
  std::vector<std::string> example_match;
  std::vector<std::string> example_no_match;
  bool operator==(const Diagnosis&) const = default;
};

// Log lines that show the progress of a job, independent of any diagnosis.
struct JobSigns {
  std::vector<std::string> progress;  // a rank makes progress
  std::vector<std::string> success;   // the job has succeeded
  std::vector<std::string> failure;   // the job or a rank has failed
  std::vector<std::string> setback;   // the same, unless a rank makes progress afterwards
  std::vector<std::string> restart;   // the ranks are restarted
  std::vector<std::string> data;      // text of a data set, a table or arguments: none of the above
  bool operator==(const JobSigns&) const = default;
};

struct DiagnosisCatalogue {
  std::vector<Diagnosis> diagnoses;
  JobSigns signs;

  // nullptr if there is no such id.
  const Diagnosis* find(std::string_view id) const;
};

// The built-in records of all backends (src/data/diagnoses/*.json).
const DiagnosisCatalogue& built_in_diagnoses();

// The records for stacks of this backend: its own, and those for all stacks unless its own have the
// same id.
DiagnosisCatalogue for_backend(const DiagnosisCatalogue& catalogue, std::string_view backend);

// Adds a file of records: {"names": {}, "signs": {}, "diagnoses": []}, each key optional. Replaces
// an existing record of the same id and backend. Throws Error{bad_stack}.
void add_diagnoses(DiagnosisCatalogue& catalogue, std::string_view json, const std::string& source);
// Adds all records. A record without a backend replaces those of its id for every backend.
void add_diagnoses(DiagnosisCatalogue& catalogue, DiagnosisCatalogue more);
// Throws Error{bad_stack} if a record refers to an unknown id.
void require_known_ids(const DiagnosisCatalogue& catalogue, const std::string& source);

// The finding in that language.
Finding finding_in(const Diagnosis& diagnosis, Language language);

}  // namespace topsctl
