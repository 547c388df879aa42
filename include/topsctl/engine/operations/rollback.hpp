// Undoing a committed transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

struct RollbackRequest {
  std::optional<std::int64_t> id;  // nothing: the latest that is committed
  bool dry_run = false;
  bool force = false;  // restore files although somebody changed them since
  std::int64_t lock_timeout_ms = 120'000;
  // Whether the plan may be carried out; nothing: it may.
  std::function<bool(const Execution&)> approve = {};
};

// Restores the state before a committed transaction. Throws Error{host_unfit} if there is nothing
// to roll back, a later transaction stands in the way, or the machine was changed since by somebody
// else; Error{interrupted} if the plan was not approved.
Execution roll_back(const Host& host, const RollbackRequest& request, EventFan& events);

}  // namespace topsctl
