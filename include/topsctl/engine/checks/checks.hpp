// The ladder of a stack's checks: from its files to a group of processes on every card.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/host/filesystem/digest_cache.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

struct VerifyOptions {
  CheckLevel highest = CheckLevel::import;  // checks above it are left out
  std::int64_t cards = 0;                   // that there should be; 0: as the stack says
  std::int64_t ranks = 0;                   // of the rung `ranks`; 0: one for each card
  std::int64_t timeout_ms = 300'000;        // of each process that tries something
  EventSink* events = nullptr;  // told of each rung, if there is one; must outlive the climb
  // Spares reading files that have not changed since an earlier climb; must outlive this one. Not
  // for a verdict that has to stand by itself.
  DigestCache* digests = nullptr;
};

// Where the climb ended before its end.
struct Stop {
  CheckLevel rung = CheckLevel::files;
  std::string check;  // the first that failed
  bool operator==(const Stop&) const = default;
};

struct Verification {
  std::string python;  // the interpreter that was looked at; empty: none
  std::string api;     // the generation that the backend's module is of: "t2x", "s60", or empty
  std::vector<CheckResult> checks;  // those above a stop are skipped
  std::optional<Stop> stop;

  // Failed ones, and unknown ones that a container has no reason to hide.
  std::vector<const CheckResult*> problems() const;
};

// Climbs rung by rung; of the first rung on which something fails that the next ones stand on,
// every check is run, and of those above it none. Never throws for what a check finds. `python`:
// the interpreter to check; empty: the stack's first that has the stack's wheel, else the first
// that works. Error{interrupted, terminated} passes through.
Verification run_checks(const Host& host, const Stack& stack, const std::vector<CheckRule>& checks,
                        const std::string& python, const VerifyOptions& options = {});

}  // namespace topsctl
