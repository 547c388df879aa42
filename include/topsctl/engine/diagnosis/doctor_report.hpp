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

struct DoctorReport {
  std::optional<Judgement> judgement;  // nothing: nothing could be looked at
  std::vector<LogSource> sources;
  std::optional<MachineFacts> machine;
  std::vector<ProjectPlace> places;         // of --project, all of them
  std::optional<SourcePatch> patch;         // of --project with --patch or --apply
  std::vector<const Diagnosis*> catalogue;  // of --list and --explain
  Language language = Language::english;
};

// {verdict, first_cause, diagnoses[], unexplained, ranks[], sources[], machine, places[], patch,
// catalogue[]}
Json to_json(const DoctorReport& report);
// {verdict, first_cause, diagnoses}, each null where nothing was judged.
Json to_json(const std::optional<Judgement>& judgement);

}  // namespace topsctl
