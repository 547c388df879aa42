// A job that is handed to its engine, followed to its end, and judged by its logs.
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
  std::vector<std::string> command;                // that ends with the job, and by SIGTERM ends it
  std::map<std::string, std::string> environment;  // of the command
  std::filesystem::path folder;                    // of the job's files
  std::string backend;                             // whose diagnoses are meant: "eccl"
  Language language = Language::english;
  std::function<void(std::string_view)> on_engine_line;  // what the command says
  std::function<void(std::string_view)> on_rank_line;    // what rank 0 says, where its log is seen
};

struct SubmittedJob {
  int status = 0;               // of the command; 128 and the signal, if one came here and ended it
  std::optional<int> ended_by;  // a signal that came here
  std::vector<std::string> log_folders;  // as the command told them; empty: it was not submitted
  std::optional<Judgement> judgement;    // where it has failed and its logs are seen
  std::string log_problem;               // why its logs are not seen; empty: they are
};

// The command writes the directories of the job's logs, a line each, to the file that
// $TOPSCTL_SUBMITTED names. A second signal kills the command, and leaves the job. Throws Error.
SubmittedJob submit_job(const Submission& submission);

}  // namespace topsctl
