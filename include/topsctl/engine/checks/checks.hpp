// The levels of a stack's checks: from its files to a group of processes on all cards.
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
  CheckLevel highest = CheckLevel::import;  // checks above it are not run
  std::int64_t cards = 0;                   // expected number; 0: as in the stack
  std::int64_t ranks = 0;                   // of level `ranks`; 0: one per card
  std::int64_t timeout_ms = 300'000;        // of each test process
  EventSink* events = nullptr;  // receives each level; may be null; must outlive the run
  // Spares reading files that have not changed since an earlier run; must outlive this one. Not for
  // a verdict that must be independent of earlier runs.
  DigestCache* digests = nullptr;
};

// The level at which the checks stopped early.
struct Stop {
  CheckLevel level = CheckLevel::files;
  std::string check;  // the first failed check
  bool operator==(const Stop&) const = default;
};

struct Verification {
  std::string python;  // the interpreter that was checked; empty: none
  std::string api;     // the API generation of the backend's module: "t2x", "s60", or empty
  std::vector<CheckResult> checks;  // those above a stop are marked skipped
  std::optional<Stop> stop;

  // Failed checks, and unknown ones whose reason is not a container.
  std::vector<const CheckResult*> problems() const;
};

// Runs the checks level by level. If a check fails that higher levels depend on, the rest of its
// level is run and higher levels are skipped. Never throws for a failed check. `python`: the
// interpreter to check; empty: the stack's first one that has the stack's wheel, else the first
// that works. Error{interrupted, terminated} passes through.
Verification run_checks(const Host& host, const Stack& stack, const std::vector<CheckRule>& checks,
                        const std::string& python, const VerifyOptions& options = {});

}  // namespace topsctl
