// Checks for problems that can be detected before the first change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"
#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// The finding that is accepted by its own option, --allow-downgrade, instead of --accept.
inline constexpr const char* downgrade_finding = "package-downgrade";

struct Preflight {
  CompatibilityReport fit;
  // Existing directories that only the stack's debs, and debs that they replace, put files into:
  // files that scripts create there belong to the stack too.
  std::vector<std::string> own_folders;
  LoadedFiles loaded = {};
};

// Judges the selection, whose payload was read (`contents`, in the order of its packages), as
// `topsctl inspect --against` does, on this target (without interpreters). Counts the space for the
// transaction's copies, except for `staged_bytes` of packages that are copied already, and
// `kept_bytes` for its backup. `clashes`: earlier findings against the host. `faults`: findings on
// the packages alone; only errors count. Findings with an id in `accepted` count as warnings,
// except final ones on wheels. Throws one Error that lists all reasons against the install, worst
// first: bad_package if a package itself is at fault, else host_unfit.
Preflight preflight(TargetSnapshot target, const Stack& stack, const Selection& selection,
                    std::vector<Contents> contents, std::vector<Finding> faults,
                    const std::set<std::string>& accepted, std::uint64_t staged_bytes = 0,
                    std::vector<Finding> clashes = {}, std::uint64_t kept_bytes = 0);

// Selects those directories from `folders`, by the owners of each path; pure.
std::vector<std::string> own_folders(const std::set<std::string>& folders,
                                     const std::set<std::string>& packages,
                                     const std::map<std::string, std::vector<std::string>>& owners);

// Whether the operator can proceed despite the findings.
enum class Acceptance { possible, impossible };
// The blocking findings as one error of that code; nothing if none blocks. Pure.
std::optional<Error> refusal_of(const std::vector<Finding>& findings,
                                const std::set<std::string>& accepted,
                                ErrorCode code = ErrorCode::host_unfit,
                                Acceptance acceptance = Acceptance::possible);
// One line for a finding: title, subject, and the first evidence.
std::string line_of(const Finding& finding);

// The finding id of the next function's error.
inline constexpr const char* protected_finding = "file-protected";
// Throws Error{host_unfit} for a path that chattr(1) protects from changes, or whose directory is
// protected.
void require_changeable(const Host& host, const WriteSet& write_set);

// Warnings about unusual host states that do not block an install, such as a clock that is behind.
std::vector<std::string> odd_host_warnings(const Host& host);

}  // namespace topsctl
