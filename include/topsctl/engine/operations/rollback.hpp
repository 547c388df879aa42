// Rolls back a committed transaction.
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
  std::optional<std::int64_t> id;  // nothing: the latest committed one
  bool dry_run = false;
  bool force = false;  // restore files although they were changed since
  std::int64_t lock_timeout_ms = 120'000;
  // Whether to apply the plan; empty: apply it.
  std::function<bool(const Execution&)> approve = {};
};

// Restores the state before a committed transaction. Throws Error{host_unfit} if there is nothing
// to roll back, a later transaction is in the way, or the files were modified since;
// Error{interrupted} if the plan was not approved.
Execution roll_back(const Host& host, const RollbackRequest& request, EventFan& events);

}  // namespace topsctl
