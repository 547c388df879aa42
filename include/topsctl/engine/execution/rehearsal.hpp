// Carrying a plan out in a view of the machine that is thrown away, to know what it would do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/execution.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// What is known of the paths that a plan writes, and how.
struct KnownWriteSet {
  WriteSet paths;
  std::string known;   // "observed", "predicted", "rehearsed"
  std::string reason;  // why in this way, for people; empty: it was only tried
};

struct Rehearsed {
  RehearsalReport report;
  std::vector<std::string> written;  // canonical paths, sorted
  std::vector<std::string> warnings;
};

// Throws Error{host_unfit, no_space} that says why there can be no rehearsal on this machine.
void require_rehearsable(const Host& host, const Plan& plan);

// Carries out the steps of the plan that change the machine, checks excepted, in a view of it: the
// machine stays as it is. `packages`: where the file of each package lies, by its place in the
// plan. Throws Error for whatever fails in it, and for a package that is not installed at the end.
// The caller holds the ChangeLock.
Rehearsed rehearse(const Host& host, const Plan& plan,
                   const std::vector<std::filesystem::path>& packages, EventSink& events);

// The same for an install, with what came of it; says how it went. If nobody has asked for it, it
// is left out where there is no room.
std::string try_out(const Host& host, const Plan& plan,
                    const std::vector<std::filesystem::path>& packages, EventSink& events,
                    Execution& execution, KnownWriteSet& known);

// What there is to say of it in a line.
std::string sentence_on(const RehearsalReport& rehearsal);

KnownWriteSet predicted_only(const Plan& plan);
// What was rehearsed and what was predicted together: a script may behave otherwise the second
// time.
KnownWriteSet with_rehearsal(const Plan& plan, const Rehearsed& rehearsed);

// Those of these canonical paths that a write set, and the folders above it, lack.
std::vector<std::string> missed_by(const Host& host, const WriteSet& write_set,
                                   const std::vector<std::string>& paths);

// What a rehearsal leaves on the disk when it is cut off; removed with the machine's lock held.
void remove_rehearsal(const Host& host);

}  // namespace topsctl
