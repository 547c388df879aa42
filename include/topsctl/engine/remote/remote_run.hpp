// A command of topsctl, run on another machine, that a lost connection does not end.
#pragma once

#include <cstdint>
#include <functional>
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
  std::int64_t patience_ms = 600'000;  // for a connection that was lost while it ran
  std::int64_t most_ms = 0;            // for it all, however often it says something; 0: no end
  bool was_reached = false;            // a moment ago: then also for one that cannot be made yet
  std::string directory = "/";         // there; absolute
  std::string id = {};                 // of the run, by which it is found again; empty: a new one
  bool has_begun = false;              // it was begun before, and is only found again
};

// Different for each run.
std::string new_run_id();

// Nobody knows how the command ended: the connection did not come back, or it was cut off there.
// Its code is `unreachable`.
class RunLost : public Error {
 public:
  RunLost(std::string message, std::string hint)
      : Error(ErrorCode::unreachable, std::move(message), std::move(hint)) {}
};

// What the command wrote, and what of it is looked at here.
struct RemoteReport {
  int status = -1;   // exit status
  std::string json;  // the document, in one line
  std::optional<Error> error;
  std::string outcome;  // empty: commands of this kind have none
  std::string message;
  std::optional<std::int64_t> transaction;
  bool awaits_confirmation = false;
  bool changed = false;
  unsigned reconnects = 0;
  std::int64_t clock_offset_ms = 0;  // by which the clock there is ahead of ours
};

// Called with each line that the command writes to standard error, whole and printable.
using RemoteLine = std::function<void(std::string_view line)>;

// One run of a command. What it refers to is not its own and must outlive the run.
struct RemoteRun {
  Remote& remote;                 // connects to the target's host, again after a lost connection
  const Target& target;           // the host, or a container behind it
  const CarriedProgram& program;  // carried there if it is missing
  RemoteCommand command;
  const Clock& clock;                      // measures `patience_ms`
  RemoteLine on_line;                      // called by the thread that runs it
  std::function<bool()> is_given_up = {};  // asked whenever it says something: then it is lost
};

// Runs it, and connects again while it runs if need be. Throws RunLost, and Error{unreachable} when
// what it wrote is no report of topsctl's; Error{permission} when sudo refuses;
// Error{interrupted, terminated}, while the command goes on there.
RemoteReport run_remote(const RemoteRun& run);

// The same for what it writes to standard output as it stands: without "--json" and "--events".
RemoteRunEnd run_remote_as_text(const RemoteRun& run);

}  // namespace topsctl
