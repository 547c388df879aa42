// The only code that changes a host: carries out install plans under a journal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/network/connection.hpp"
#include "topsctl/model/execution.hpp"
#include "topsctl/model/input_file.hpp"

namespace topsctl {

class Stage;

struct Requester {
  std::string user;
  std::string command_line;    // as history shows it
  int confirm_timeout_s = 0;   // restore unless confirmed so soon after the commit; 0: needs none
  Connection connection = {};  // which may not confirm
  std::vector<InputFile> inputs = {};       // the lock and the stack file that were given
  std::vector<std::string> bundle = {};     // the packages that were given, as they were typed
  std::vector<std::string> bundle_at = {};  // their absolute paths, for a repair
  std::string started_at = {};              // of the command, RFC 3339; empty: it begins now
  std::string stack_text = {};              // of the stack file
};

// Carries out an install plan as one transaction: commits, or restores everything and proves it.
// The caller holds the ChangeLock. Throws only if nothing was changed; every later failure is in
// the result. `events` also gets the transaction's log while it runs. Packages come from `stage` as
// far as it has copies of them.
Execution execute_plan(const Host& host, const Stack& stack, const Plan& plan,
                       const Requester& requester, EventFan& events, Stage* stage = nullptr);

}  // namespace topsctl
