// The report of topsctl doctor as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/diagnosis/machine_judgement.hpp"
#include "topsctl/engine/diagnosis/project_reader.hpp"
#include "topsctl/engine/diagnosis/verdict.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// The patch of a project's sources.
struct SourcePatch {
  std::vector<std::string> files;  // below the project; with --apply those that were changed
  std::string diff;
  std::optional<std::int64_t> transaction;  // of --apply; nothing: not applied
  std::optional<Outcome> outcome;           // of --apply
};
SourcePatch patch_of(const ProjectReading& reading);

// The first uncaught exception of a failed job that no diagnosis explains.
struct FirstFailure {
  LogPlace place;
  std::string exception;  // "Type: message"; empty: the log is truncated before it
  std::string file;       // of the last frame in the user's code; empty: no such frame
  int line = 0;
  std::string function;  // empty: unknown
  std::string text;      // the whole traceback
};
FirstFailure first_failure(const Traceback& traceback);

struct DoctorReport {
  std::optional<Judgement> judgement;  // nothing: no data to judge
  std::vector<LogSource> sources;
  std::optional<MachineFacts> machine;
  std::vector<ProjectPlace> places;         // all places of --project
  std::optional<SourcePatch> patch;         // for --project with --patch or --apply
  std::vector<const Diagnosis*> catalogue;  // for --list and --explain
  Language language = Language::english;
};

// {verdict, failed, first_cause, diagnoses[], unexplained, ranks[], sources[], machine, places[],
// patch, catalogue[]}
Json to_json(const DoctorReport& report);
// {verdict, failed, first_cause, diagnoses}, each null if there is no judgement.
Json to_json(const std::optional<Judgement>& judgement);

}  // namespace topsctl
