// topsctl install: a bundle as one transaction.
#include "topsctl/engine/installer.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "topsctl/base/text.hpp"
#include "topsctl/cli/command.hpp"
#include "topsctl/cli/validators.hpp"
#include "topsctl/engine/report_files.hpp"
#include "topsctl/host/files.hpp"

namespace topsctl {

namespace {

struct Options {
  std::string bundle;
  std::string root = "/";
  std::string stack;
  std::string components;
  std::string python;
  std::string report;
  std::optional<std::string> lock;
  std::vector<std::string> accepted;
  bool allow_system_python = false;
  std::string wheel_backend = std::string(name(default_wheel_backend));
  bool dry_run = false;
  bool rehearse = false;
  int lock_timeout_s = 120;
};

// Before anything is changed: a report that cannot be written must not come as a surprise
// afterwards.
void require_writable(const std::string& report) {
  const std::filesystem::path file = std::filesystem::absolute(report);
  if (::access(file.parent_path().c_str(), W_OK) != 0) {
    throw system_error(errno, "write a report to", file.parent_path().string(), ErrorCode::usage);
  }
  // It would be replaced by a file.
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(file, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(ErrorCode::usage,
                concat("cannot write a report to ", in_quotes(report), ": it is no regular file"),
                "name a new file; --json writes the report to standard output");
  }
}

Lock read_lock(const std::string& file) {
  const auto text = read_text_if_present(file);
  if (!text) {
    throw Error(ErrorCode::usage, concat("no such lock file: ", in_quotes(file)),
                "write one with `topsctl inspect BUNDLE --lock FILE`");
  }
  return parse_lock(*text, concat("lock ", in_quotes(file)));
}

Output run(const Options& options, Session& session) {
  if (!options.report.empty()) require_writable(options.report);
  const Host host = session.with_root(options.root);
  InstallRequest request;
  request.bundle = {options.bundle};
  request.stack = options.stack;
  request.components = options.components;
  request.python = options.python;
  request.system_python = options.allow_system_python ? SystemPython::allow : SystemPython::refuse;
  request.wheel_backend = options.wheel_backend == "pip" ? WheelBackend::pip : WheelBackend::native;
  request.accepted = {options.accepted.begin(), options.accepted.end()};
  request.dry_run = options.dry_run;
  request.rehearse = options.rehearse;
  request.lock_timeout_ms = std::int64_t{options.lock_timeout_s} * 1000;
  request.requester = {requesting_user(host.environment), session.command_line};
  const Execution execution = attempted(host.root.string(), [&] {
    if (options.lock) request.lock = read_lock(*options.lock);
    return install(host, request, *session.events);
  });
  Output output = execution_output("install", execution, session.style);
  std::string text = execution_output("install", execution, Style{}).text;
  if (execution.error) text += render_error(*execution.error, Style{});
  const std::string json = to_text(document(output.header, Json::parse(output.json)));
  if (execution.report.transaction) {
    for (std::string& warning : leave_report(host, *execution.report.transaction, json, text)) {
      output.header.warnings.push_back(std::move(warning));
    }
  }
  if (!options.report.empty()) {
    try {
      write_plainly(std::filesystem::absolute(options.report), json, 0644);
    } catch (const Error& error) {
      output.header.warnings.push_back(error.message());
    }
  }
  if (execution.report.outcome == Outcome::committed) {
    output.text += concat(session.style.bold("next: "),
                          " open a new login shell, or run `eval \"$(topsctl env)\"`\n");
  }
  return output;
}

}  // namespace

CommandAction define_install(CLI::App& parser) {
  auto options = std::make_shared<Options>();
  parser.add_option("bundle", options->bundle, "The bundle's folder, or a single package")
      ->required()
      ->type_name("BUNDLE");
  parser.add_option("--stack", options->stack, "A known stack's name, or a stack file")
      ->type_name("STACK");
  parser.add_option("--root", options->root, "Root directory of the system to install on")
      ->type_name("DIR");
  parser.add_option("--python", options->python, "The interpreter to install for")
      ->type_name("EXE");
  parser.add_option("--components", options->components, "Only these, separated by commas")
      ->type_name("LIST");
  parser.add_option("--accept", options->accepted, "A finding that is no reason to stop")
      ->type_name("ID")
      ->allow_extra_args(false)
      ->check(known_finding());
  parser.add_flag("-n,--dry-run", options->dry_run, "Print the plan and change nothing");
  parser.add_flag("--rehearse", options->rehearse,
                  "Do it in a throw-away view first; with --dry-run, only there");
  parser.add_option("--report", options->report, "Write the JSON report to this file too")
      ->type_name("FILE");
  parser.add_option("--lock", options->lock, "Take only packages whose digests this lock has")
      ->type_name("FILE");
  parser.add_flag("--allow-system-python", options->allow_system_python,
                  "Install for an interpreter that the system manages (PEP 668)");
  parser.add_option("--wheel-backend", options->wheel_backend, "Who installs the wheel")
      ->type_name("NAME")
      ->check(one_of({"pip", "native"}));
  parser.add_option("--lock-timeout", options->lock_timeout_s, "How long to wait for dpkg's lock")
      ->type_name("SECONDS")
      ->check(whole_number(0, 86400));
  return {[options](Session& session) { return run(*options, session); }, failed_execution_body()};
}

}  // namespace topsctl
