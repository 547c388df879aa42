// Runs a topsctl command on a remote host; it survives a lost connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/engine/remote/remote_agent.hpp"
#include "topsctl/engine/remote/run_messages.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/host/system/secret.hpp"

namespace topsctl {

struct RemoteCommand {
  std::vector<std::string> words;  // without "topsctl", "--json" and "--events"
  RunAs run_as = RunAs::root;
  Secret sudo_password;                // empty: none was asked for
  std::optional<SentFile> lock = {};   // given to the command as `--lock`
  std::optional<SentFile> stack = {};  // the same as `--stack`
  std::string job;                     // given to the command as `--job`; empty: none
  std::string reading = {};            // the same as `--reading`
  std::int64_t timeout_ms = 600'000;   // for reconnecting while the command runs
  std::int64_t most_ms = 0;            // limit for the whole run, even while it prints; 0: no limit
  bool was_reached = false;            // it answered a moment ago: also retry a first connection
                                       // that fails
  std::string directory = "/";         // on the remote host; absolute
  std::string id = {};                 // id of the run, for finding it again; empty: a new one
  bool has_begun = false;              // it was started before and is only looked up
};

// A different id for each run.
std::string new_run_id();

// The end of the command is unknown: the connection was not restored, or the run was interrupted on
// its host. The code is `unreachable`.
class RunLost : public Error {
 public:
  RunLost(std::string message, std::string hint)
      : Error(ErrorCode::unreachable, std::move(message), std::move(hint)) {}
};

// The output of the command, and the values that are read from it.
struct RemoteReport {
  int status = -1;  // exit status
  Json document;
  std::optional<Error> error;
  std::string outcome;  // empty: commands of this kind have none
  std::string message;
  std::optional<std::int64_t> transaction;
  bool awaits_confirmation = false;
  bool changed = false;
  unsigned reconnects = 0;
  std::int64_t clock_offset_ms = 0;  // positive: the remote clock is ahead
};

// Called with each line that the command writes to standard error, whole and printable.
using RemoteLine = std::function<void(std::string_view line)>;

// One run of a command. The objects that it refers to must outlive it.
struct RemoteRun {
  Remote& remote;                 // connects to the target's host, and reconnects
  const Target& target;           // the host, or a container on it
  const CarriedProgram& program;  // copied to the host if it is missing
  RemoteCommand command;
  const Clock& clock;  // measures `timeout_ms`
  RemoteLine on_line;  // called on the thread that runs the command
  // Called on that thread each time the host has only said for so long that it is at work.
  std::function<void(std::chrono::seconds)> on_silence = {};
  std::function<bool()> is_given_up = {};  // called with each output; true: the run counts as lost
};

// Runs the command, and reconnects if necessary. Throws RunLost, Error{unreachable} if the output
// is not a topsctl report, Error{permission} if sudo refuses, and Error{interrupted, terminated},
// while the command continues on its host.
RemoteReport run_remote(const RemoteRun& run);

// The same without "--json" and "--events": returns standard output unchanged.
RemoteRunEnd run_remote_as_text(const RemoteRun& run);

}  // namespace topsctl
