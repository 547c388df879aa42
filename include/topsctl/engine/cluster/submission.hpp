// Submits a job to its engine, follows it to its end, and judges its logs.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/diagnosis/verdict.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

struct Submission {
  std::vector<std::string> command;                // ends with the job, and stops it on SIGTERM
  std::map<std::string, std::string> environment;  // of the command
  std::filesystem::path folder;                    // directory of the job's files
  std::string backend;                             // selects the diagnoses: "eccl"
  Language language = Language::english;
  std::function<void(std::string_view)> on_engine_line;  // receives the command's output
  std::function<void(std::string_view)> on_rank_line;    // receives rank 0's output, if its log is
                                                         // readable
};

struct SubmittedJob {
  int status = 0;               // of the command; 128 plus the signal if a signal to topsctl ended
                                // it
  std::optional<int> ended_by;  // a signal to topsctl
  std::vector<std::string> log_folders;  // reported by the command; empty: not submitted
  std::optional<Judgement> judgement;    // if the job failed and its logs are readable
  std::string log_problem;               // why its logs are not readable; empty: they are
};

// The command writes the directories of the job's logs, one per line, to the file
// $TOPSCTL_SUBMITTED. A second signal kills the command but not the job. Throws Error.
SubmittedJob submit_job(const Submission& submission);

}  // namespace topsctl
