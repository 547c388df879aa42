// Stores reports in the directories of their transactions, and rebuilds missing ones.
#include "topsctl/engine/transaction/stored_reports.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::string report_file(const std::string& command) {
  const bool is_install = command == "install" || command == "repair";
  return is_install ? "report.json" : concat(command, ".json");
}

std::vector<LogFile> log_files(const Host& host, const TransactionReport& report,
                               const std::string& folder) {
  std::vector<LogFile> logs;
  const auto add = [&](const char* kind, const std::string& path) {
    const auto bytes = read_text_if_present(host.resolve(path));
    if (!bytes) return;
    Sha256 digest;
    digest.update(*bytes);
    logs.push_back({kind, path, bytes->size(), digest.hex()});
  };
  if (!report.log.empty()) add("log", report.log);
  add("pip-report", concat(folder, "/", pip_report_file));
  return logs;
}

std::optional<Json> stored_report(const Host& host, const Transaction& transaction,
                                  const std::string& command) {
  const auto text =
      read_text_if_present(host.resolve(concat(transaction.folder, "/", report_file(command))));
  if (!text) return std::nullopt;
  try {
    Json report = parse_json(*text, report_file(command));
    if (report.is_object() && report.value("outcome", Json()).is_string()) return report;
  } catch (const Error&) {
    // It is rebuilt from the journal.
  }
  return std::nullopt;
}

RollbackProof proof_of(const Transaction& transaction) {
  RollbackProof proof;
  const Json& details = transaction.records.back().details;
  proof.paths_checked = details.value("paths_checked", std::uint64_t{0});
  proof.differing.assign(details.value("differing", std::size_t{0}),
                         "unknown: the rollback left no report");
  return proof;
}

// From the journal only: no plan, no steps, no checks.
Json rebuilt_report(const Host& host, const Transaction& transaction, const std::string& command,
                    Outcome outcome) {
  Execution execution;
  TransactionReport& report = execution.report;
  report.transaction = transaction.id;
  report.root = host.root.string();
  report.rebuilt = true;
  report.outcome = outcome;
  const TransactionSummary summary = summary_of(transaction);
  const bool is_undo = command != summary.made_by;
  if (!is_undo) {
    report.origin = summary.origin;
    report.bundle = summary.bundle;
  }
  report.packages = summary.packages;
  if (is_undo) {
    for (PackageChange& change : report.packages) std::swap(change.before, change.after);
  }
  report.write_set = kept_summary(transaction);
  report.inputs = inputs_of(transaction);
  const std::string log = concat(host.logs, "/", transaction.id, ".log");
  if (fs::exists(host.resolve(log))) report.log = log;
  report.logs = log_files(host, report, transaction.folder);
  report.confirm_until = summary.confirm_until;
  if (transaction.state() == TransactionState::restored && outcome != Outcome::committed) {
    report.rollback = proof_of(transaction);
  }
  report.changed =
      outcome == Outcome::committed || outcome == Outcome::rollback_incomplete || is_undo;
  report.message = format(
      "transaction {}: {} according to its journal; the command ended before it wrote its report",
      transaction.id, name(outcome));
  if (!is_undo && (is_rolled_back(outcome) || outcome == Outcome::failed_before_change))
    end_as_before(report, outcome, report.message);
  execution.warnings.emplace_back(
      "this report was rebuilt from the journal: it has no plan, no steps and no checks");
  const bool is_asked_for = outcome == Outcome::committed || outcome == Outcome::no_change ||
                            (is_undo && is_rolled_back(outcome));
  if (!is_asked_for) {
    report.failed = true;
    execution.exit = is_rolled_back(outcome)                   ? ExitCode::rolled_back
                     : outcome == Outcome::rollback_incomplete ? ExitCode::rollback_incomplete
                                                               : ExitCode::failed;
    execution.error = Error(ErrorCode::step_failed, format("{} was interrupted", command),
                            report.log.empty() ? "" : format("see the log {}", report.log));
  }
  return execution_document(command, execution);
}

Outcome outcome_named(std::string_view text) {
  for (const Outcome outcome :
       {Outcome::committed, Outcome::rolled_back, Outcome::rolled_back_with_differences,
        Outcome::rollback_incomplete, Outcome::no_change}) {
    if (name(outcome) == text) return outcome;
  }
  return Outcome::failed_before_change;
}

}  // namespace

Json execution_document(const std::string& command, const Execution& execution) {
  return document({command, execution.exit, execution.error, execution.warnings},
                  to_json(execution.report));
}

void store_report(const Host& host, const std::string& command, Execution& execution) {
  TransactionReport& report = execution.report;
  if (!report.transaction || !report.plan || report.plan->command != command) return;
  const std::string folder = concat(host.state, "/transactions/", *report.transaction);
  try {
    report.logs = log_files(host, report, folder);
    write_durably(host.resolve(folder) / report_file(command),
                  to_text(execution_document(command, execution)), 0600);
  } catch (const Error& error) {
    execution.warnings.push_back(
        format("cannot store the report with the transaction: {}", error.message()));
  }
}

std::vector<Json> reports_of(const Host& host, const Transaction& transaction) {
  std::vector<Json> reports;
  const TransactionSummary summary = summary_of(transaction);
  const std::string& outcome = summary.outcome;
  const std::string& maker = summary.made_by;
  if (auto report = stored_report(host, transaction, maker)) {
    reports.push_back(std::move(*report));
  } else if (transaction.was_committed()) {
    reports.push_back(rebuilt_report(host, transaction, maker, Outcome::committed));
  } else if (!transaction.is_unfinished()) {
    reports.push_back(rebuilt_report(host, transaction, maker, outcome_named(outcome)));
  }
  for (const char* command : {"rollback", "recover"}) {
    if (auto report = stored_report(host, transaction, command)) {
      reports.push_back(std::move(*report));
    }
  }
  if (!transaction.is_unfinished() && !reports.empty() &&
      reports.back().value("outcome", "") != outcome) {
    reports.push_back(rebuilt_report(host, transaction, "rollback", outcome_named(outcome)));
  }
  return reports;
}

}  // namespace topsctl
