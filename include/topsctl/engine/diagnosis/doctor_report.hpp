// What topsctl doctor reports, as JSON.
#pragma once

#include <optional>
#include <vector>

#include "topsctl/engine/diagnosis/machine_judgement.hpp"
#include "topsctl/engine/diagnosis/verdict.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct DoctorReport {
  Judgement judgement;
  std::vector<LogSource> sources;
  std::optional<MachineFacts> machine;
  std::vector<const Diagnosis*> catalogue;  // of --list and --explain
  Language language = Language::english;
};

// {verdict, first_cause, diagnoses[], unexplained, ranks[], sources[], machine, catalogue[]}
Json to_json(const DoctorReport& report);

}  // namespace topsctl
