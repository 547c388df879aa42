// The status of a host: installed stack, changed files, and pending transactions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/launch/benchmark_note.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/host/facts/calling_shell.hpp"
#include "topsctl/host/filesystem/digest_cache.hpp"
#include "topsctl/host/network/connection.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

struct InstalledRelease {
  std::string stack;
  std::string release;  // empty: the stack has none
  // Digest of the names, versions and contents of its packages, by their own records.
  std::string sha256;
  std::optional<TransactionSummary> transaction;  // nothing: not installed by topsctl, or not
                                                  // readable
  std::vector<std::string> bundle;                // present paths of its packages; empty: unknown
};

// Whether a shell has the environment of the installed stack.
struct ShellEnvironment {
  std::string file;                    // sets it at login
  std::vector<std::string> missing;    // variables that are not set, or lack a directory
  std::vector<std::string> different;  // variables with other values
};

struct CardsInUse {
  std::string tool;
  std::optional<std::size_t> listed;  // by the tool; nothing: unknown
  std::optional<std::size_t> busy;
  std::int64_t wanted = 0;    // by the stack
  std::int64_t nodes = 0;     // device nodes
  std::size_t processes = 0;  // with a card open, or with a rank
  std::string failure;        // error message of the tool
};

enum class WaitState {
  at_work,
  damaged,
  lost,
  unfinished,
  conflicting,
  unconfirmed,
  unwatched,
  overdue
};
std::string_view name(WaitState state);

// A transaction that has not ended.
struct WaitingTransaction {
  std::int64_t id = 0;
  WaitState state = WaitState::unfinished;
  std::string until;                // RFC 3339, UTC; deadline of a pending confirmation
  bool is_same_connection = false;  // it was installed over this connection, which may not confirm
                                    // it
};

// The recommended next command, as typed.
struct NextCommand {
  std::string command;
  bool over_new_connection = false;
};

struct HostStatus {
  std::string host;
  std::string system;  // "ubuntu 20.04"
  std::string kernel;
  std::string driver;  // release of the cards' kernel module
  std::string python;  // the interpreter of the stack
  std::string python_version;
  std::string torch;
  bool is_history_readable = false;
  std::optional<InstalledRelease> installed;
  std::vector<CheckResult> checks;  // of level `files`
  std::optional<ShellEnvironment> environment;
  std::optional<CardsInUse> cards;
  std::optional<BenchmarkNote> benchmark;  // this user's last one
  std::vector<Run> trainings;              // running trainings of this user
  std::optional<Run> failed_run;           // the last run of this user, if it failed
  std::vector<WaitingTransaction> waiting;
  NextCommand next;

  // Failed file checks, as verify reports them.
  std::vector<const CheckResult*> problems() const;
  // Whether a check failed, or a transaction needs a person.
  bool has_problems() const;
  bool has_outcome(CheckStatus outcome) const;  // whether some check has it
};

// The input of a status query.
struct StatusRequest {
  Host own;  // the same host, with the runs of this user
  CallingShell shell;
  bool has_shell = true;  // called from a shell; false if topsctl was started over SSH
  Connection connection;
  bool is_root = false;
  std::string root = "/";
  std::string directory;  // working directory
  DigestCache* digests = nullptr;
};

// Read-only. Throws the errors of reading dpkg's database.
HostStatus host_status(const Host& host, const StatusRequest& request);

// {host, system, ..., next}; all null for a status that was not read.
Json to_json(const HostStatus& status);

}  // namespace topsctl
