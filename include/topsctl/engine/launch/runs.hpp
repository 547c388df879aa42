// The launches that this host knows: their records, and whether they still run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/launch/launch_record.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// killed: topsctl ended without recording it. unreadable: the record is damaged or missing.
enum class RunState { running, ended, killed, unreadable };
std::string_view name(RunState state);

struct Run {
  std::string name;
  std::string log_folder;
  RunState state = RunState::unreadable;
  std::string problem;  // why it is unreadable; else empty
  bool is_of_other = false;
  RecordSummary record;
};

// $XDG_STATE_HOME/topsctl/runs if set (XDG Base Directory Specification 0.8), else below the host's
// state directory.
std::filesystem::path runs_folder(const Host& host);
// A name for a launch that this process begins now.
std::string new_run_name(const Host& host);
// Records the log directory of a run. Removes runs of this host whose log directory is gone; runs
// of other hosts may share the state. Throws Error.
void note_run(const Host& host, const std::string& name, const std::string& log_folder);

// Oldest first.
std::vector<Run> all_runs(const Host& host);
// `word`: a name, a unique prefix of a name, "last", or a log directory. Throws Error{bad_input}.
Run run_named(const Host& host, const std::string& word);

// Asks topsctl to stop a running run, and waits for its end; false if it has not ended after a
// minute. Throws Error{permission} for another user's run.
bool stop_run(const Run& run);

}  // namespace topsctl
