// Plans a patch, and passes the plan to the executor.
#include "topsctl/engine/operations/patcher.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/operations/retention.hpp"
#include "topsctl/engine/planning/preflight.hpp"
#include "topsctl/engine/transaction/soundness.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// Why a file is skipped; nothing: it is not.
std::optional<std::string> reason_against(const std::optional<Inode>& file,
                                          const ChangedSource& change) {
  if (!file || !S_ISREG(file->status().st_mode) ||
      file->state(Content::digest).sha256 != sha256_of(change.before))
    return "it has changed since it was read";
  if (file->status().st_nlink > 1) return "it has multiple hard links";
  return std::nullopt;
}

void require_writable(const Host& host, const std::string& path, const Inode& file) {
  const fs::path folder = host.join_canonical(path).parent_path();
  // Also for root: it must not write there against the owner's will.
  const bool is_own = file.status().st_uid == ::geteuid();
  if (is_own && ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return;
  throw Error(ErrorCode::permission,
              is_own ? format("cannot write to {}", in_quotes(folder.string()))
                     : format("{} belongs to another user", in_quotes(path)),
              "run the same command as the owner of the project");
}

struct PlannedPatch {
  Plan plan;
  std::vector<std::string> files;  // below the project
};

PlannedPatch plan_patch(const Host& host, const fs::path& top,
                        const std::vector<ChangedSource>& changes) {
  PlannedPatch planned;
  Plan& plan = planned.plan;
  plan.command = "patch";
  plan.kind = TransactionKind::patch;
  plan.project = printable(top.string());
  const FileTree tree(host.root);
  std::vector<Step> steps;
  for (const ChangedSource& change : changes) {
    const std::string path = (top / change.path).string();
    const auto file = tree.inode(path);
    if (const auto reason = reason_against(file, change)) {
      plan.warnings.push_back(format("{} is not patched: {}", in_quotes(change.path), *reason));
      continue;
    }
    require_writable(host, path, *file);
    plan.write_set.paths.push_back(path);
    planned.files.push_back(change.path);
    steps.push_back(
        {"patch",
         format("patch {}", printable(change.path)),
         PatchFile{path, sha256_of(change.before), change.after, sha256_of(change.after)},
         {}});
  }
  if (steps.empty()) return planned;
  plan.steps.push_back({"keep", "back up affected files", KeepWriteSet{}, {}});
  std::move(steps.begin(), steps.end(), std::back_inserter(plan.steps));
  plan.steps.push_back({"commit", "commit", Commit{}, {}});
  require_changeable(host, plan.write_set);
  return planned;
}

// A patch does not handle dpkg: it does not restore an interrupted install.
void refuse_unfinished_install(const Host& host) {
  for (const Transaction& transaction : sound_transactions(host)) {
    if (!transaction.is_unfinished() || transaction.kind() == TransactionKind::patch) continue;
    throw Error(ErrorCode::host_unfit, format("transaction {} is unfinished", transaction.id),
                "roll it back with `topsctl recover`, then rerun the same command");
  }
  refuse_unconfirmed(host);
}

Execution unchanged(const Host& host, const Plan& plan) {
  Execution execution;
  execution.report = pending_report(plan);
  execution.report.origin = origin_of(host);
  execution.report.outcome = Outcome::no_change;
  execution.report.message = "nothing to change";
  return execution;
}

}  // namespace

AppliedPatch apply_patch(const Host& host, const PatchRequest& request,
                         const ProjectReading& reading, EventFan& events) {
  if (reading.changes.empty()) return {unchanged(host, {}), {}};
  // Another user's link could lead root to any directory.
  if (::geteuid() == 0 && !is_own_way(fs::path(request.project) / "file")) {
    throw Error(
        ErrorCode::permission,
        format("another user can change where {} leads", in_quotes(request.project.string())),
        "give its real path, below directories that only root can change");
  }
  const ChangeLock lock(host, request.lock_timeout_ms, told_to(events), Locked::own_alone);
  refuse_unfinished_install(host);
  const Recovery recovery = recover_unfinished(host, events);
  AppliedPatch patch;
  patch.execution = with_recovery(recovery, [&] {
    if (recovery.has_failed()) return *recovery.last;
    const auto [plan, files] = plan_patch(host, fs::canonical(request.project), reading.changes);
    Execution applied = plan.steps.empty()
                            ? unchanged(host, plan)
                            : execute_plan(host, Stack{}, plan, request.requester, events);
    applied.warnings.insert(applied.warnings.begin(), plan.warnings.begin(), plan.warnings.end());
    if (applied.report.outcome == Outcome::committed) patch.files = files;
    return applied;
  });
  store_report(host, "patch", patch.execution);
  if (!patch.files.empty()) keep_usual_retention(host, patch.execution);
  return patch;
}

}  // namespace topsctl
