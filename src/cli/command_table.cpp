// The table of commands, and their common code.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> table = {
      {"status", "Show where this host stands and what to do next", define_status,
       CommandPlace::anywhere},
      {"inspect", "Show the contents of a bundle or package", define_inspect},
      {"lock", "Write or sign the digests of a bundle", define_lock},
      {"snapshot", "Save the state of a host for `inspect --against`", define_snapshot},
      {"install", "Install a bundle as one transaction", define_install},
      {"repair", "Restore installed files that are missing or changed", define_repair},
      {"rollback", "Roll back an install", define_rollback, CommandPlace::anywhere_as_root},
      {"recover", "Recover from an interrupted install", define_recover,
       CommandPlace::anywhere_as_root},
      {"confirm", "Confirm an install so that it is kept", define_confirm,
       CommandPlace::anywhere_as_root},
      {"history", "List what topsctl has done on a host", define_history,
       CommandPlace::anywhere_as_root},
      {"verify", "Check that an installed stack works", define_verify, CommandPlace::anywhere},
      {"doctor", "Diagnose why a training failed", define_doctor, CommandPlace::anywhere},
      {"bench", "Measure the collectives, copies and links of the cards", define_bench},
      {"launch", "Start a training on all cards of this host", define_launch},
      {"runs", "List, show and stop launched trainings, and print their logs", define_runs},
      {"shim", "Write or explain the runtime shim for CUDA programs", define_shim},
      {"watch", "Show the cards and the ranks on them", define_watch, CommandPlace::anywhere},
      {"rank", "Start one process of a training", define_rank, CommandPlace::hidden},
      {"env", "Print the environment that a stack needs", define_env},
      {"transfer", "Send a bundle to remote hosts", define_transfer},
      {"deploy", "Send a bundle to remote hosts and install it", define_deploy},
      {"receive", "Receive what `topsctl transfer` sends", define_receive, CommandPlace::hidden},
      {"stack", "List, show, check and draft stacks", define_stack},
      {"version", "Print versions", define_version},
      {"completion", "Print a completion script for a shell", define_completion},
      {"help", "Print the page of a command", define_help},
  };
  return table;
}

namespace {

// Without transactions of their own, users see the notes on the system's.
bool has_own_transactions(const Session& session) {
  if (is_root_user()) return false;
  try {
    return std::filesystem::is_directory(session.with_own_state().state + "/transactions");
  } catch (const Error&) {
    return false;
  } catch (const std::filesystem::filesystem_error&) {
    return false;
  }
}

}  // namespace

Host Session::with_own_state() const {
  Host own = host;
  if (is_root_user()) return own;
  own.state = state_of_user(host.environment);
  own.logs = concat(own.state, "/log");
  return own;
}

Host Session::with_root(const std::string& root) const {
  if (root.empty()) {
    throw Error(ErrorCode::usage, "--root is empty",
                "give the root directory of the system; is a variable unset?");
  }
  Host other = host;
  std::string path = std::filesystem::absolute(root).lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  other.root = path;
  if (path == "/" && has_own_transactions(*this)) return with_own_state();
  return other;
}

Output execution_output(const std::string& command, const Execution& execution,
                        const Style& style) {
  Output output;
  output.header = {command, execution.exit, execution.error, execution.warnings};
  output.changed = execution.report.changed;
  output.json = to_json(execution.report);
  // A failure before any change shows only its error.
  if (!execution.error || execution.report.transaction) {
    output.text = render_execution(execution, style);
    output.brief = render_state(execution.report, style);
  }
  return output;
}

Execution attempted(const Host& host, const std::function<Execution()>& command) {
  const Origin origin = origin_of(host);
  try {
    return command();
  } catch (const Error& error) {
    Execution execution;
    execution.error = error;
    execution.exit = exit_code(error.code());
    execution.report.origin = origin;
    execution.report.root = host.root.string();
    execution.report.outcome.reset();
    execution.report.failed = true;
    execution.report.message = "nothing was changed";
    return execution;
  }
}

Json failed_execution_body() {
  TransactionReport report;
  report.outcome.reset();
  report.failed = true;
  report.message = "nothing was changed";
  return to_json(report);
}

}  // namespace topsctl
