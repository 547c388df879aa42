// The catalogue of diagnoses: what is wrong with a training, how it is recognized, what fixes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

// What a finding says, in one language.
struct FindingTexts {
  std::string title;
  std::string cause;
  std::string remedy;
  bool operator==(const FindingTexts&) const = default;
};

// One comparison of what the host told under that name. A signal that is not known is never true.
struct SignalCondition {
  enum class Comparison { equals, differs, below, above };
  std::string signal;
  Comparison comparison = Comparison::equals;
  std::string value;  // a number, or a text for the first two; another signal's name in braces
  bool operator==(const SignalCondition&) const = default;
};

struct Diagnosis {
  Finding finding;  // id, severity and English texts; no subject, no evidence
  FindingTexts chinese;
  std::string backend;                   // of the stacks that it concerns: "eccl"; empty: of all
  std::vector<std::string> explains;     // ids of what this one brings about
  bool is_effect = false;                // never a first cause
  bool is_last_resort = false;           // a first cause only where nothing else went wrong
  bool passes = false;                   // over as soon as a rank works
  bool disturbs_jobs = false;            // the remedy does
  bool restart_helps = false;            // the same run may succeed when it is started once more
  std::vector<std::string> log;          // of one line or one traceback, RE2; any of them
  std::vector<SignalCondition> machine;  // all of them
  std::optional<Severity> severity_on_host;  // where `machine` alone says so; nothing: the same
  std::vector<std::string> source;           // ids of what the reading of a project reports
  std::string unless;                        // a line or traceback that matches it does not count
  std::vector<std::string> refs;             // where it was seen or is explained
  std::vector<std::string> example_match;
  std::vector<std::string> example_no_match;
  bool operator==(const Diagnosis&) const = default;
};

// Lines that tell how a job goes, whatever is wrong with it.
struct JobSigns {
  std::vector<std::string> progress;  // a rank works
  std::vector<std::string> success;   // the job has ended well
  std::vector<std::string> failure;   // the job or a rank has failed
  std::vector<std::string> setback;   // the same, unless any rank works afterwards
  std::vector<std::string> restart;   // the ranks are started once more
  std::vector<std::string> data;  // words of a data set, a table or arguments: none of the above
  bool operator==(const JobSigns&) const = default;
};

struct DiagnosisCatalogue {
  std::vector<Diagnosis> diagnoses;
  JobSigns signs;

  // Nothing if there is no such id.
  const Diagnosis* find(std::string_view id) const;
};

// The records that are built in (src/data/diagnoses/*.json), those of all backends.
const DiagnosisCatalogue& built_in_diagnoses();

// What concerns the stacks of this backend: its own records, and those of all stacks that none of
// its own has the id of.
DiagnosisCatalogue for_backend(const DiagnosisCatalogue& catalogue, std::string_view backend);

// Adds a file of records: {"names": {}, "signs": {}, "diagnoses": []}, of which any may be missing.
// An id that is there already for the same backend is replaced. Throws Error{bad_stack}.
void add_diagnoses(DiagnosisCatalogue& catalogue, std::string_view json, const std::string& source);
// Adds them all. A record that names no backend replaces those of its id for any.
void add_diagnoses(DiagnosisCatalogue& catalogue, DiagnosisCatalogue more);
// Throws Error{bad_stack} if a record names an id that is not there.
void require_known_ids(const DiagnosisCatalogue& catalogue, const std::string& source);

// The finding in that language.
Finding finding_in(const Diagnosis& diagnosis, Language language);

}  // namespace topsctl
