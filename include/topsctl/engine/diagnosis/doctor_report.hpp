// What topsctl doctor reports, as JSON.
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

// What a project's sources become.
struct SourcePatch {
  std::vector<std::string> files;  // below the project; of --apply those that it changed
  std::string diff;
  std::optional<std::int64_t> transaction;  // that made it so; nothing: it was not applied
  std::optional<Outcome> outcome;           // of applying it
};
SourcePatch patch_of(const ProjectReading& reading);

// The first uncaught exception of a job whose failure no diagnosis explains.
struct FirstFailure {
  LogPlace place;
  std::string exception;  // "Type: message"; empty: the log ends before it
  std::string file;       // of the last frame in the user's code; empty: no such frame
  int line = 0;
  std::string function;  // empty: none was told
  std::string text;      // the whole traceback
};
FirstFailure first_failure(const Traceback& traceback);

struct DoctorReport {
  std::optional<Judgement> judgement;  // nothing: nothing could be looked at
  std::vector<LogSource> sources;
  std::optional<MachineFacts> machine;
  std::vector<ProjectPlace> places;         // of --project, all of them
  std::optional<SourcePatch> patch;         // of --project with --patch or --apply
  std::vector<const Diagnosis*> catalogue;  // of --list and --explain
  Language language = Language::english;
};

// {verdict, failed, first_cause, diagnoses[], unexplained, ranks[], sources[], machine, places[],
// patch, catalogue[]}
Json to_json(const DoctorReport& report);
// {verdict, failed, first_cause, diagnoses}, each null where nothing was judged.
Json to_json(const std::optional<Judgement>& judgement);

}  // namespace topsctl
