// One training on several hosts over SSH: runs `topsctl launch` on each for its part.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/remote/remote_run.hpp"

namespace topsctl {

// Does not own the objects that it refers to.
struct GroupMember {
  Remote& remote;
  Target target;
  std::vector<std::string> words;  // of the command that starts its part
  std::string job;                 // its `--job`
  std::string log_folder;          // remote; identifies the part for `topsctl runs`
};

struct GroupWork {
  std::vector<GroupMember> members;
  const CarriedProgram& program;
  const Clock& clock;
  std::string directory;  // remote working directory
  // Receives each line of standard error; called by several threads, one at a time.
  std::function<void(std::size_t member, std::string_view line)> on_line;
};

struct MemberEnd {
  std::optional<int> status;   // exit status of its part; nothing: unknown
  std::optional<Error> error;  // why it was not started, was lost, or could not be stopped
  bool is_lost = false;        // its connection was not restored, or the host was rebooted
  bool has_ended = false;      // it is no longer waited for
};

struct GroupEnd {
  std::vector<MemberEnd> members;
  std::optional<std::size_t> first_failed;  // or lost
  std::optional<int> ended_by;              // the signal that topsctl received
};

// Runs all parts until none is left. If one fails, is lost or cannot be started, stops the others
// after a pause in which they may report their own failure; also stops a lost part if it is
// reachable again. SIGINT and SIGTERM stop all parts, a second signal abandons them.
GroupEnd run_group(const GroupWork& work);

}  // namespace topsctl
