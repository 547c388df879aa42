// The launches that this host knows: where their records are, and whether they still run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/launch/launch_record.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// killed: topsctl has ended without saying so. unreadable: the record is damaged, or gone.
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

// $XDG_STATE_HOME/topsctl/runs, where that is set (XDG Base Directory Specification 0.8), else
// below the host's state.
std::filesystem::path runs_folder(const Host& host);
// A name for a launch that begins now in this process.
std::string new_run_name(const Host& host);
// Notes where it is. Those of this host whose log folder is gone are forgotten: others may share
// the state. Throws Error.
void note_run(const Host& host, const std::string& name, const std::string& log_folder);

// The oldest first.
std::vector<Run> all_runs(const Host& host);
// `word`: a name, the beginning of one alone, "last", or a log folder. Throws Error{bad_input}.
Run run_named(const Host& host, const std::string& word);

// Asks topsctl of a run that is running to end it, and waits until it has; false if it has not
// ended after a minute. Throws Error{permission} for another user's.
bool stop_run(const Run& run);

}  // namespace topsctl
