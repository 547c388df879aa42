// The only code that changes a host: applies install plans under a journal.
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
  std::string command_line;    // for history
  int confirm_timeout_s = 0;   // seconds after the commit until an unconfirmed transaction is
                               // rolled back; 0: no confirmation
  Connection connection = {};  // this connection may not confirm
  std::vector<InputFile> inputs = {};       // the given lock and stack file
  std::vector<std::string> bundle = {};     // the given packages, as they were typed
  std::vector<std::string> bundle_at = {};  // their absolute paths, for a repair
  std::string started_at = {};              // of the command, RFC 3339; empty: now
  std::string stack_text = {};              // of the stack file
};

// Applies an install plan as one transaction: commits it, or rolls it back and verifies the
// rollback. The caller holds the ChangeLock. Throws only if nothing was changed; later failures are
// in the result. `events` also feeds the transaction's log while it runs. Uses the copies in
// `stage` where it has them.
Execution execute_plan(const Host& host, const Stack& stack, const Plan& plan,
                       const Requester& requester, EventFan& events, Stage* stage = nullptr);

}  // namespace topsctl
