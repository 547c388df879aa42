// Everything that can be known to go wrong before the first change.
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

// The finding that has an option of its own, --allow-downgrade, in the place of --accept.
inline constexpr const char* downgrade_finding = "package-downgrade";

struct Preflight {
  CompatibilityReport fit;
  // Folders that are there and into which none but the stack's debs, and those that they displace,
  // put anything: what scripts make of files in them is theirs too.
  std::vector<std::string> own_folders;
};

// Judges the selection, whose payload was read (`contents`, by its packages), as `topsctl inspect
// --against` does, on this target (without interpreters), with the space for the transaction's own
// copies, but for `staged_bytes` of the packages, of which there are copies already, and with
// `kept_bytes` for its undo; `clashes` are
// findings against the host that were made before, `faults` those of the packages by themselves, of
// which errors count. Findings with an id of `accepted` count as warnings, but for those on wheels
// that are final. Throws an Error that tells all that stands against the install, the worst first:
// of bad_package if a package is at fault by itself, else of host_unfit.
Preflight preflight(TargetSnapshot target, const Stack& stack, const Selection& selection,
                    std::vector<Contents> contents, std::vector<Finding> faults,
                    const std::set<std::string>& accepted, std::uint64_t staged_bytes = 0,
                    std::vector<Finding> clashes = {}, std::uint64_t kept_bytes = 0);

// The pure part of it that finds those folders: of `folders`, and by the owners of each path.
std::vector<std::string> own_folders(const std::set<std::string>& folders,
                                     const std::set<std::string>& packages,
                                     const std::map<std::string, std::vector<std::string>>& owners);

// Whether the operator can proceed all the same.
enum class Acceptance { possible, impossible };
// What stands in the way, as one error of that code; nothing if nothing does. The pure part of it.
std::optional<Error> refusal_of(const std::vector<Finding>& findings,
                                const std::set<std::string>& accepted,
                                ErrorCode code = ErrorCode::host_unfit,
                                Acceptance acceptance = Acceptance::possible);
// One line of a finding: what, of what, and the first evidence.
std::string line_of(const Finding& finding);

// The id by which the following is refused.
inline constexpr const char* protected_finding = "file-protected";
// Throws Error{host_unfit} for a path that chattr(1) keeps from being changed, or whose folder is
// kept so.
void require_changeable(const Host& host, const WriteSet& write_set);

// Sentences on what is odd about the host, though no reason to stop: a clock that is behind.
std::vector<std::string> odd_host_warnings(const Host& host);

}  // namespace topsctl
