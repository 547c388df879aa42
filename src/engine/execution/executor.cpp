// Applies install plans step by step under a journal.
#include "topsctl/engine/execution/executor.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "engine/execution/check_step.hpp"
#include "engine/execution/file_patch.hpp"
#include "engine/execution/step_actions.hpp"
#include "engine/execution/unpredicted_changes.hpp"
#include "engine/execution/volatile_paths.hpp"
#include "engine/execution/watchdog_start.hpp"
#include "engine/execution/wheel_comparison.hpp"
#include "topsctl/base/log_sink.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/execution/begun_details.hpp"
#include "topsctl/engine/execution/phase_timer.hpp"
#include "topsctl/engine/execution/stage.hpp"
#include "topsctl/engine/execution/transaction_rollback.hpp"
#include "topsctl/engine/execution/wheel_installation.hpp"
#include "topsctl/engine/planning/preflight.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/engine/transaction/garbage_collection.hpp"
#include "topsctl/engine/transaction/last_active.hpp"
#include "topsctl/engine/transaction/link_seals.hpp"
#include "topsctl/engine/transaction/reserved_room.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/snapshot_release.hpp"
#include "topsctl/engine/transaction/time_changes.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"
#include "topsctl/host/filesystem/change_rights.hpp"
#include "topsctl/host/filesystem/change_scan.hpp"
#include "topsctl/host/filesystem/removal.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

class Executor {
 public:
  Executor(const Host& host, const Stack& stack, const Plan& plan, EventFan& events, Stage* stage,
           const Requester& requester, Transaction transaction)
      : host_(host),
        stack_(stack),
        plan_(plan),
        events_(events),
        stage_(stage),
        requester_(requester),
        transaction_(std::move(transaction)),
        folder_(host.resolve(transaction_.folder)),
        journal_(folder_ / "journal"),
        phases_(*host.clock) {
    execution_.report = begun_report(host, plan, requester);
    execution_.report.transaction = transaction_.id;
  }

  Execution run() {
    if (!requester_.stack_text.empty())
      write_durably(folder_ / stack_copy, requester_.stack_text, 0600);
    journal_.append(TransactionState::begun, begun_details(execution_.report, requester_));
    try {
      for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
        phases_.enter(phase_of(plan_.steps[i].action));
        run_step(i);
      }
      if (is_without_change_) {
        end_without_change();
      } else {
        execution_.report.outcome = Outcome::committed;
        execution_.report.changed = true;
        execution_.report.message = committed_message();
      }
    } catch (const Error& error) {
      undo(error);
    } catch (const std::exception& error) {
      undo(Error(ErrorCode::internal, error.what()));
    }
    execution_.report.phases = phases_.finish();
    return std::move(execution_);
  }

 private:
  void run_step(std::size_t i) {
    throw_if_interrupted();
    const Step& step = plan_.steps[i];
    StepResult& result = execution_.report.steps[i];
    const std::size_t total = plan_.steps.size();
    events_.step_started(i + 1, total, step.description);
    const auto started = host_.clock->steady();
    const auto finish = [&](StepStatus status) {
      result.status = status;
      result.duration_ms =
          std::chrono::duration_cast<std::chrono::milliseconds>(host_.clock->steady() - started)
              .count();
      events_.step_finished(i + 1, total, step.description, result.duration_ms,
                            status == StepStatus::done);
    };
    try {
      result.detail = std::visit([&](const auto& action) { return act(action); }, step.action);
      finish(StepStatus::done);
    } catch (const Error& error) {
      result.detail = error.message();
      finish(StepStatus::failed);
      throw error.within(format("step {} of {}: {}", i + 1, total, step.description));
    } catch (const std::exception& error) {
      result.detail = printable(error.what());
      finish(StepStatus::failed);
      throw Error(ErrorCode::internal, result.detail, "this is a bug in topsctl: please report it",
                  {format("step {} of {}: {}", i + 1, total, step.description)});
    }
  }

  fs::path make_folder(const char* name) const {
    fs::path folder = folder_ / name;
    if (::mkdir(folder.c_str(), 0700) != 0)
      throw system_error(errno, "create directory", folder.string());
    return folder;
  }

  bool is_observed() const { return plan_.knowledge.known == "observed"; }

  std::string act(const StagePackages&) {
    const fs::path stage = make_folder(packages_folder);
    std::uint64_t bytes = 0;
    for (const PlannedPackage& package : plan_.packages) {
      if (package.action == PackageAction::keep) continue;
      if (stage_ != nullptr) {
        stage_->deliver(package, stage / package.file);
      } else {
        copy_package(package, stage / package.file);
      }
      bytes += package.size;
    }
    return format("{} copied, digests correct", human_size(bytes));
  }

  std::string act(const KeepWriteSet&) {
    const fs::path store = make_folder(snapshot_folder);
    make_folder(temporary_folder);
    WriteSetSummary& summary = execution_.report.write_set;
    summary.known = plan_.knowledge.known;
    summary.reason = plan_.knowledge.reason;
    snapshot_ = take_snapshot(host_, plan_.write_set, store, summary);
    if (plan_.kind == TransactionKind::patch) {
      keep_times_of_own_folders(snapshot_, store);
    } else {
      unpredicted_.emplace(host_, snapshot_, store, is_observed());
    }
    reserve_room(host_, folder_, snapshot_);
    sync_file_system(store);
    journal_.append(TransactionState::prepared, prepared_details(summary));
    throw_if_interrupted();
    volatile_before_ = volatile_paths(host_);
    journal_.append(TransactionState::applying, {{"volatile_before", volatile_before_}});
    if (unpredicted_) unpredicted_->begin_at(change_time_ns(folder_ / "journal"));
    last_active_.emplace(folder_);
    link_sealer_.emplace(snapshot_, store);
    changed_ = true;
    return format("{} paths, {} backed up", summary.paths, human_size(summary.bytes));
  }

  std::string act(const RunCommand& run) {
    return perform(host_, run,
                   {concat(transaction_.folder, "/", packages_folder),
                    concat(transaction_.folder, "/", temporary_folder),
                    unpredicted_ ? unpredicted_->setup() : nullptr},
                   events_);
  }

  std::string act(const InstallWheel& wheel) {
    return install_wheel_natively(host_, plan_, wheel, folder_ / packages_folder);
  }

  std::string act(const CompareWheels& compare) { return compare_wheels(host_, compare); }

  std::string act(const WriteFile& file) { return perform(host_, file); }

  std::string act(const PatchFile& file) {
    return perform(host_, file, snapshot_, folder_ / temporary_folder);
  }

  std::string act(const RunChecks& run) {
    journal_.append(TransactionState::verifying, Json::object());
    // The checks leave the disk and a core idle: start the sync for the commit now.
    make_ready_ = std::jthread([this] { make_ready_for_commit(); });
    return check_installation(host_, stack_, plan_.python, run, events_, execution_.report.checks,
                              execution_.warnings);
  }

  std::string act(const Commit&) {
    end_making_ready();
    if (not_ready_) std::rethrow_exception(not_ready_);
    // Before the sync, so that removed files are not written.
    remove_working_folders(folder_);
    if (unpredicted_) unpredicted_->complete(execution_);
    const std::vector<std::string> created = new_paths(host_, snapshot_);
    if (unpredicted_) unpredicted_->report(created, execution_);
    is_without_change_ =
        may_change_nothing(plan_) &&
        differs_in_times_alone(host_, snapshot_, created, folder_ / snapshot_folder);
    if (is_without_change_) return "only timestamps changed: nothing to commit";
    std::vector<std::string>& mounts = execution_.report.synced_mounts;
    // Before any backup is dropped: a file that dpkg replaced by an identical one may not be on the
    // disk yet.
    mounts = sync_mounts(host_, snapshot_);
    link_sealer_->finish();
    release_unchanged(host_, snapshot_, folder_ / snapshot_folder);
    if (unpredicted_) unpredicted_->end();
    const fs::path after = make_folder(after_folder);
    record_state_after(host_, snapshot_, created, after);
    sync_file_system(after);
    throw_if_interrupted();
    Json details = {{"at", timestamp(host_.clock->now())},
                    {"kept_bytes", bytes_on_disk(host_, transaction_)},
                    {"escaped_paths", execution_.report.escaped_paths},
                    {"volatile", new_volatile_paths(host_, volatile_before_)}};
    if (requester_.confirm_timeout_s > 0) details.update(ask_for_confirmation());
    journal_.append(TransactionState::committed, details);
    last_active_->end();
    return format("{} file systems synced", mounts.size());
  }

  std::string act(const RestoreWriteSet&) {
    throw Error(ErrorCode::internal, "an install plan has no rollback step");
  }

  Json ask_for_confirmation() {
    start_watchdog(host_, transaction_);
    const auto awaited = confirmation_within(
        host_, std::chrono::seconds(requester_.confirm_timeout_s), requester_.connection);
    execution_.report.confirm_until = awaited.until;
    return to_json(awaited);
  }

  void undo(const Error& error) {
    execution_.error = error;
    execution_.report.failed = true;
    execution_.report.confirm_until.reset();
    phases_.enter("restore");
    const bool by_signal =
        error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated;
    clear_interrupt();
    if (!changed_) {
      abandon_transaction(host_, transaction_, reason_of(error));
      execution_.exit = exit_code(error.code());
      end_as_before(execution_.report, Outcome::failed_before_change, "nothing was changed");
      return;
    }
    end_making_ready();
    events_.note(format("rolling back: {}", error.message()));
    try {
      if (unpredicted_) unpredicted_->complete(execution_);
    } catch (const std::exception&) {
      // The restore repeats it, and reports the reason if it fails.
    }
    const bool is_back = put_back(reason_of(error));
    try {
      if (unpredicted_) unpredicted_->report(new_paths(host_, snapshot_), execution_);
    } catch (const std::exception& failure) {
      execution_.warnings.push_back(
          format("cannot determine unexpected changes outside the write set: {}",
                 printable(failure.what())));
    }
    if (!is_back) return;
    execution_.exit = by_signal ? exit_code(error.code()) : ExitCode::rolled_back;
    end_rolled_back(execution_.report, transaction_,
                    is_observed() ? 0 : execution_.report.escaped_paths.size());
    const bool is_exact = execution_.report.outcome == Outcome::rolled_back;
    end_as_before(execution_.report, execution_.report.outcome,
                  is_exact ? format("rolled back: {}", execution_.report.message)
                           : execution_.report.message);
  }

  // Also restores the times: rolling back an earlier transaction is refused if they differ.
  void end_without_change() {
    phases_.enter("restore");
    clear_interrupt();
    if (put_back("")) {
      execution_.report.outcome = Outcome::no_change;
      execution_.report.message = "everything is already installed: nothing changed";
      return;
    }
    execution_.report.failed = true;
  }

  // Whether the previous state was restored; else manual repair is needed. An empty reason means
  // that only times have changed.
  bool put_back(const std::string& reason) {
    link_sealer_.reset();
    last_active_.reset();
    const RollbackResult restoration = restore_at_work(host_, transaction_, events_, reason);
    execution_.report.rollback = restoration.proof;
    execution_.report.kept_of_others = restoration.kept_of_others;
    execution_.report.synced_mounts = restoration.synced_mounts;
    collect_not_restored(restoration);
    if (restoration.complete()) return true;
    execution_.exit = restoration.exit_status();
    execution_.report.outcome = restoration.outcome();
    execution_.report.changed = true;
    execution_.report.message = restore_message(transaction_, restoration);
    if (!execution_.error) execution_.error = restoration.error(transaction_);
    return false;
  }

  std::string committed_message() const {
    const auto& until = execution_.report.confirm_until;
    const std::string committed = format("transaction {} committed", transaction_.id);
    return until ? format(
                       "{}; it is rolled back at {} unless confirmed before with `topsctl confirm "
                       "{}` from a new connection",
                       committed, *until, transaction_.id)
                 : committed;
  }

  void collect_not_restored(const RollbackResult& restoration) {
    std::vector<std::string>& list = execution_.report.not_restored;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (execution_.report.steps[i].status == StepStatus::pending) continue;
      const std::vector<std::string>& effects = plan_.steps[i].not_restored;
      for (const std::string& effect : effects) {
        if (std::find(list.begin(), list.end(), effect) == list.end()) list.push_back(effect);
      }
    }
    for (const std::string& path : new_volatile_paths(host_, volatile_before_))
      list.push_back(line_on_volatile(path, transaction_.id));
    list.insert(list.end(), restoration.failures.begin(), restoration.failures.end());
  }

  // syncfs reports a write error only once, so the commit must check this result.
  void make_ready_for_commit() {
    try {
      remove_tree(folder_ / packages_folder);
      static_cast<void>(sync_mounts(host_, snapshot_));
    } catch (...) {
      not_ready_ = std::current_exception();
    }
  }

  void end_making_ready() {
    if (make_ready_.joinable()) make_ready_.join();
  }

  const Host& host_;
  const Stack& stack_;
  const Plan& plan_;
  EventFan& events_;
  Stage* stage_;
  const Requester& requester_;
  Transaction transaction_;
  fs::path folder_;
  Journal journal_;
  PhaseTimer phases_;
  Execution execution_;
  Snapshot snapshot_;                              // after the backup
  std::optional<UnpredictedChanges> unpredicted_;  // the same
  std::vector<std::string> volatile_before_;       // the same
  std::exception_ptr not_ready_;                   // why the commit cannot be
  std::jthread make_ready_;
  std::optional<LastActive> last_active_;  // from the first change on
  std::optional<LinkSealer> link_sealer_;  // the same
  bool changed_ = false;
  bool is_without_change_ = false;  // known before the commit
};

}  // namespace

Execution execute_plan(const Host& host, const Stack& stack, const Plan& plan,
                       const Requester& requester, EventFan& events, Stage* stage) {
  Transaction transaction = new_transaction(host);
  const fs::path logs = host.resolve(host.logs);
  make_closed_folder(logs);
  LogSink log(logs / concat(transaction.id, ".log"));
  EventFan all = events;
  all.add(&log);
  log.note(
      format("transaction {}: {} for {}", transaction.id, requester.command_line, requester.user));
  Execution execution =
      Executor(host, stack, plan, all, stage, requester, std::move(transaction)).run();
  execution.report.log = concat(host.logs, "/", *execution.report.transaction, ".log");
  log.note(execution.report.message);
  return execution;
}

}  // namespace topsctl
