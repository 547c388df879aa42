// A command: a row in the table of commands.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/execution.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

struct OptionTable;

// The context of every command.
struct Session {
  Host host;  // root "/" unless the command changes it
  EventFan* events = nullptr;
  Style style;  // of standard output
  Verbosity detail = Verbosity::normal;
  std::string command_line;              // as typed, for the history
  const OptionTable* program = nullptr;  // of the whole program, with the given options
  bool json = false;                     // --json was given
  bool is_interactive = false;           // a person can be asked
  std::optional<std::vector<std::string>> program_words;  // behind `--` of `env exec`
  // The same host with another root directory; relative paths start at the working directory.
  Host with_root(const std::string& root) const;
  // The same host with the transactions of this user, who may be root.
  Host with_own_state() const;
};

struct Output {
  ReportHeader header;
  Json json = Json::object();  // the body
  // Instead of `json`, for large documents: writes the members of the body, without the braces.
  std::function<void(std::ostream&)> json_members;
  std::string text;                // for standard output without --json
  std::string brief = {};          // replaces it with --quiet; empty: the same
  bool is_data = false;            // `text` is for a program: a patch, a script, a document
  bool changed = false;            // the host differs from its previous state
  bool is_written = false;         // standard output is complete already
  std::optional<int> status = {};  // exit status of a program that was run, instead of ours
};

// How a command shows the documents of several hosts together.
struct FleetView {
  std::vector<std::string> words;  // additional words for the command on each host
  std::function<void()> prepare;   // called before the hosts are queried; may throw
  // Sets JSON, text and exit status of the output. `where`: the hosts, as given.
  std::function<void(const Json& targets, const std::string& where, Session&, Output&)> show;
};

struct CommandAction {
  std::function<Output(Session&)> run;
  // The body's JSON when `run` threw: every documented field, empty.
  Json empty_body = Json::object();
  std::optional<FleetView> fleet = {};  // nothing: the text of each host is shown separately
};

// Where a command can be run.
enum class CommandPlace {
  here,
  anywhere,          // also on other hosts, as the login user
  anywhere_as_root,  // the same, as root
  hidden,            // here, started by topsctl itself: not in the help
};

struct CommandRow {
  const char* name;
  const char* summary;
  // Adds the command's options to its table and returns its action.
  CommandAction (*define)(OptionTable& table);
  CommandPlace place = CommandPlace::here;
};

// In the order of the help text.
const std::vector<CommandRow>& command_table();

CommandAction define_status(OptionTable& table);
CommandAction define_inspect(OptionTable& table);
CommandAction define_lock(OptionTable& table);
CommandAction define_snapshot(OptionTable& table);
CommandAction define_install(OptionTable& table);
CommandAction define_repair(OptionTable& table);
CommandAction define_rollback(OptionTable& table);
CommandAction define_recover(OptionTable& table);
CommandAction define_confirm(OptionTable& table);
CommandAction define_history(OptionTable& table);
CommandAction define_verify(OptionTable& table);
CommandAction define_env(OptionTable& table);
CommandAction define_doctor(OptionTable& table);
CommandAction define_launch(OptionTable& table);
CommandAction define_bench(OptionTable& table);
CommandAction define_rank(OptionTable& table);
CommandAction define_runs(OptionTable& table);
CommandAction define_shim(OptionTable& table);
CommandAction define_watch(OptionTable& table);
CommandAction define_transfer(OptionTable& table);
CommandAction define_deploy(OptionTable& table);
CommandAction define_receive(OptionTable& table);
CommandAction define_stack(OptionTable& table);
CommandAction define_version(OptionTable& table);
CommandAction define_completion(OptionTable& table);
CommandAction define_help(OptionTable& table);

// A script that completes commands and options; `shell` is bash, zsh or fish.
std::string completion_script(const OptionTable& program, const std::string& shell);

// Output of a command that applied, or planned, a transaction.
Output execution_output(const std::string& command, const Execution& execution, const Style& style);
// Runs such a command; an Error that it throws becomes an Execution without an outcome that changed
// nothing.
Execution attempted(const Host& host, const std::function<Execution()>& command);
// The body of such a command for an invalid command line.
Json failed_execution_body();

}  // namespace topsctl
