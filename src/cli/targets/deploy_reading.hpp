// The local reading of packages for a deployment.
#pragma once

#include "cli/command.hpp"
#include "topsctl/engine/transfer/deployment.hpp"
#include "topsctl/engine/transfer/transfer_set.hpp"

namespace topsctl {

// The results of reading the packages, before any of them is sent.
struct ReadHere {
  TransferSet files;
  SentBeside beside;
};

// Reads all data for the targets in addition to the packages themselves. Throws Error{usage} if
// they are too large to send.
ReadHere read_here(TransferSet chosen, const TransferSetRequest& wanted, bool is_dry_run,
                   const Session& session, EventSink& events);

}  // namespace topsctl
