// Where a host stands: what is installed, whether it is as it was installed, and what waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  // Of the names, versions and contents of its packages, as they recorded them.
  std::string sha256;
  std::optional<TransactionSummary> transaction;  // nothing: not by topsctl, or it may not be read
  std::vector<std::string> bundle;                // where its packages lie still; empty: unknown
};

// Whether a shell has the environment of the installed stack.
struct ShellEnvironment {
  std::string file;                    // that sets it at log-in
  std::vector<std::string> missing;    // variables that are not set, or lack a directory
  std::vector<std::string> different;  // that have other values
};

struct CardsInUse {
  std::string tool;
  std::optional<std::size_t> listed;  // by the tool; nothing: it did not tell
  std::optional<std::size_t> busy;
  std::int64_t wanted = 0;    // as the stack says
  std::int64_t nodes = 0;     // device nodes
  std::size_t processes = 0;  // that have a card open, or a rank
  std::string failure;        // of the tool
};

enum class WaitState { at_work, damaged, lost, unfinished, unconfirmed, unwatched, overdue };
std::string_view name(WaitState state);

// A transaction that has not come to its end.
struct WaitingTransaction {
  std::int64_t id = 0;
  WaitState state = WaitState::unfinished;
  std::string until;                // RFC 3339, UTC, of one that awaits its confirmation
  bool is_same_connection = false;  // it was installed over this one, which may not confirm it
};

// The one command that makes sense next, as it is typed.
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
  std::vector<Run> trainings;     // those of this user that run
  std::optional<Run> failed_run;  // the last one of this user, if it failed
  std::vector<WaitingTransaction> waiting;
  NextCommand next;

  // Of the files, as verify has them.
  std::vector<const CheckResult*> problems() const;
  // A check failed, or a transaction waits for somebody.
  bool has_problems() const;
};

// What the look is made with.
struct StatusRequest {
  Host own;  // the same host, with the runs of this user
  CallingShell shell;
  bool has_shell = true;  // a person asks from one; not where topsctl was started over SSH
  Connection connection;
  bool is_root = false;
  std::string root = "/";
  std::string directory;  // where it is asked
  DigestCache* digests = nullptr;
};

// Changes nothing. Throws what reading dpkg's database throws.
HostStatus host_status(const Host& host, const StatusRequest& request);

// {host, system, ..., next}; of a status that was not read, all null.
Json to_json(const HostStatus& status);

}  // namespace topsctl
