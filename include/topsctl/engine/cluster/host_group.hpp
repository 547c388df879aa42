// One training on several hosts that are reached over SSH: `topsctl launch` on each for its part.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/remote/remote_run.hpp"

namespace topsctl {

// What it refers to is not its own.
struct GroupMember {
  Remote& remote;
  Target target;
  std::vector<std::string> words;  // of the command that starts it
  std::string job;                 // its `--job`
  std::string log_folder;          // there; by it `topsctl runs` finds its part
};

struct GroupWork {
  std::vector<GroupMember> members;
  const CarriedProgram& program;
  const Clock& clock;
  std::string directory;  // there
  // Of what each writes to standard error; by several threads, one at a time.
  std::function<void(std::size_t member, std::string_view line)> on_line;
};

struct MemberEnd {
  std::optional<int> status;   // exit status of its part; nothing: nobody knows
  std::optional<Error> error;  // why it was not started, was lost, or could not be ended
  bool is_lost = false;        // its connection did not come back, or it was started anew
  bool has_ended = false;      // nobody waits for it any more
};

struct GroupEnd {
  std::vector<MemberEnd> members;
  std::optional<std::size_t> first_failed;  // or lost
  std::optional<int> ended_by;              // the signal that topsctl got
};

// Runs all parts until none is left: where one fails, is lost or is not started, the others are
// ended after a pause in which they may say why they fail, and one that was lost once more if it is
// there again. SIGINT and SIGTERM end all parts, a second one leaves them.
GroupEnd run_group(const GroupWork& work);

}  // namespace topsctl
