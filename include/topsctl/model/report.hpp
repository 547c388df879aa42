// Reports: the result of every command, as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/input_file.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// {code, message, context[], hint}, as in every document.
Json to_json(const Error& error);

// The common beginning of every document.
struct ReportHeader {
  std::string command;
  ExitCode exit = ExitCode::done;
  std::optional<Error> error;
  std::vector<std::string> warnings;
};

// The document of one command: the header's fields, then those of `body`.
Json document(const ReportHeader& header, const Json& body);

enum class Outcome {
  committed,
  rolled_back,
  rolled_back_with_differences,  // paths that were not backed up may differ
  rollback_incomplete,
  unfinished,  // a restore stopped for lack of space or descriptors
  no_change,
  planned,
  failed_before_change
};
std::string_view name(Outcome outcome);
// With or without differences.
bool is_rolled_back(std::optional<Outcome> outcome);

enum class StepStatus { pending, done, failed };
std::string_view name(StepStatus status);

struct StepResult {
  std::string id;
  std::string action;
  StepStatus status = StepStatus::pending;
  std::int64_t duration_ms = 0;
  std::string detail;
};

struct PackageChange {
  std::string name;
  PackageKind kind = PackageKind::deb;
  std::optional<std::string> before;
  std::optional<std::string> after;
  std::string purl;  // package URL, "pkg:deb/tops-eccl@2.5.136-1?arch=amd64"
};

struct WriteSetSummary {
  std::string known = "predicted";  // or "observed"
  std::string reason;               // why in this way, for display; empty: no backup
  std::uint64_t paths = 0;
  std::uint64_t bytes = 0;  // size of the backup
  std::uint64_t linked = 0;
  std::uint64_t copied = 0;
};

struct RollbackProof {
  std::uint64_t paths_checked = 0;
  std::vector<std::string> differing;
};

struct LockReport {
  std::string path;
  std::string holder;  // the holder that had to be waited for; empty: none
  std::int64_t waited_ms = 0;
};

// A part of the work, in chronological order.
struct Phase {
  std::string
      name;  // "read", "lock", "plan", "stage", "keep", "apply", "verify", "commit", "restore"
  std::string started_at;  // RFC 3339, UTC
  std::int64_t duration_ms = 0;
};

// A raw log that stays on the host. It may grow: the digest is of its first `bytes` bytes.
struct LogFile {
  std::string kind;  // "log", "pip-report"
  std::string path;  // on the host
  std::uint64_t bytes = 0;
  std::string sha256;
};

// The host, user and start time of a command.
struct Origin {
  std::string host;        // the name of the host that ran it
  std::string user;        // the caller of sudo, or the user itself
  std::string started_at;  // RFC 3339, UTC
};

// The given packages, and those selected from them.
struct GivenBundle {
  std::vector<std::string> paths;  // as typed
  std::string sha256;              // of the list of selected packages; empty: unknown
};
Json to_json(const std::optional<GivenBundle>& bundle);

// The report of install, rollback and recover.
struct TransactionReport {
  Origin origin;
  std::optional<GivenBundle> bundle;  // nothing: the command has no packages
  std::optional<std::int64_t> transaction;
  std::optional<Outcome> outcome = Outcome::planned;  // nothing: an error before any transaction
  std::string root = "/";
  std::optional<Plan> plan;
  std::vector<Phase> phases;
  std::vector<StepResult> steps;
  std::vector<CheckResult> checks;
  std::vector<PackageChange> packages;
  WriteSetSummary write_set;
  std::optional<RollbackProof> rollback;
  std::optional<RollbackProof> compared;  // host and backup before a restore, if the journal alone
                                          // did not decide
  std::vector<std::string> escaped_paths;
  std::vector<std::string> not_restored;
  std::vector<std::string> kept_of_others;  // paths that a restore left, because other programs
                                            // created or changed them
  std::vector<std::string> stops;           // units that a planned rollback stops
  std::vector<std::string> synced_mounts;
  std::vector<LockReport> locks;
  std::vector<InputFile> inputs;  // the given lock and stack file
  std::string log;                // path of the transaction's log; empty: none
  std::vector<LogFile> logs;
  std::optional<std::string> confirm_until;  // when an unconfirmed commit is rolled back; RFC 3339,
                                             // UTC
  bool rebuilt = false;  // made from the journal, because the command left no report
  bool changed = false;  // the host differs from its state before the command
  bool failed = false;
  std::string message;
};

// The report of a plan before any of its steps has run: every step pending, every package with its
// new version.
TransactionReport pending_report(const Plan& plan);

// Marks a transaction that left the host unchanged.
void end_as_before(TransactionReport& report, std::optional<Outcome> outcome, std::string message);

Json to_json(const TransactionReport& report);
Json to_json(const std::vector<CheckResult>& checks);
Json to_json(const std::vector<InputFile>& inputs);

// One line of `history`.
struct TransactionSummary {
  std::int64_t id = 0;
  TransactionKind kind = TransactionKind::install;
  std::string made_by;  // install, repair or patch
  Origin origin;
  std::string command;
  std::optional<GivenBundle> bundle;
  std::string outcome;  // an Outcome's name, or "unfinished"
  std::string reason;   // of a failure, on one line; empty: no failure, or not recorded
  std::vector<PackageChange> packages;
  std::string project;                       // the directory of a patch
  std::vector<std::string> patched;          // its files, sorted
  std::uint64_t kept_bytes = 0;              // size of its backup on the disk
  bool can_be_undone = false;                // committed, and its backup still exists
  std::optional<std::string> confirm_until;  // committed; when it is rolled back unless confirmed
};

Json to_json(const TransactionSummary& summary);

// Package URL (purl-spec): type, name, version; `architecture` only for debs.
std::string package_url(PackageKind kind, const std::string& name, const std::string& version,
                        const std::string& architecture);

}  // namespace topsctl
