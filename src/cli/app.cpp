// Parses the command line, runs the command, and writes its report to standard output.
#include "topsctl/cli/app.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/command_names.hpp"
#include "cli/event_lines.hpp"
#include "cli/finding_text.hpp"
#include "cli/non_blocking_streambuf.hpp"
#include "cli/page_text.hpp"
#include "cli/program_help.hpp"
#include "cli/targets/remote_command.hpp"
#include "cli/told_commands.hpp"
#include "cli/training/live_view.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/log_sink.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/engine/operations/repair_source.hpp"
#include "topsctl/engine/remote/target_pool.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/startup.hpp"

namespace topsctl {

namespace {

struct GlobalOptions {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool events = false;
  bool no_input = false;
  std::string color = "auto";
  std::string log_file;
  std::string language;     // asked_language() has read it before
  std::size_t columns = 0;  // text width if standard output is not a terminal; 0: unlimited
};

// Thrown for --help; has the command's name, empty for the program itself.
struct HelpRequest {
  std::string command;
};

class Program {
 public:
  explicit Program(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
    cut_off_program_words();
    program_.immediate(
        "--help", [] { throw HelpRequest{""}; }, "Print the full page and exit");
    program_.immediate(
        "--version", [] { throw HelpRequest{"--version"}; }, "Print the version and exit");
    program_.group = "Everywhere";
    program_.flag("--json", options_.json, "Write the report as JSON to standard output");
    program_.flag("-q,--quiet", options_.quiet, "Show no progress");
    program_.flag("-v,--verbose", options_.verbose,
                  "Show the output of the programs that topsctl runs");
    program_.flag("--events", options_.events, "Write events as JSON lines to standard error");
    program_.value("--color", options_.color, "Use colors: auto, always or never", "TEXT")
        .choices({"auto", "always", "never"});
    program_.value("--log-file", options_.log_file, "Also write a log to this file", "TEXT");
    program_
        .value("--lang", options_.language,
               "Language of messages, help and reports; default: from the locale", "LANG")
        .choices({"en", "zh"});
    program_
        .value("--columns", options_.columns, "Width of text where standard output is no terminal",
               "N")
        .check(whole_number(0, 1000))
        .hidden();
    program_.flag("--no-input", options_.no_input, "Discard standard input before anything is run")
        .hidden();
    for (const CommandRow& row : command_table()) add_command(row);
    if (arguments_.size() > 1) name_page();
  }

  int run() {
    try {
      if (arguments_.size() <= 1) {
        std::cerr << program_help(style_for(2));
        return static_cast<int>(ExitCode::usage);
      }
      refuse_unknown_command();
      const ParsedCommandLine parsed =
          parse_command_line(program_, {arguments_.begin() + 1, arguments_.end()});
      if (parsed.help) {
        return print(given_command(program_) == nullptr ? program_help(style_for(1))
                                                        : fitted_help(*parsed.help, style_for(1)));
      }
      if (options_.no_input) discard_input();
      chosen_ = defined(parsed.command);
      if (chosen_ == nullptr)
        throw Error(ErrorCode::usage, "no command given", "`topsctl -h` lists the commands");
      save_given_pipes(*chosen_->table);
      return run_command();
    } catch (const HelpRequest& request) {
      return print_page(request);
    } catch (const Error& error) {
      chosen_ = defined(given_command(program_));
      return report_failure(error);
    }
  }

 private:
  struct Defined {
    const CommandRow* row;
    OptionTable* table;
    CommandAction action;
  };

  void add_command(const CommandRow& row) {
    OptionTable& table = program_.part(row.name, row.summary);
    table.is_hidden = row.place == CommandPlace::hidden;
    const std::string name = row.name;
    table.immediate(
        "--help", [name] { throw HelpRequest{name}; }, "Print the full page and exit");
    CommandAction action = row.define(table);
    if (row.place == CommandPlace::anywhere_as_root)
      action = also_elsewhere(table, std::move(action), RunAs::root);
    if (row.place == CommandPlace::anywhere)
      action = also_elsewhere(table, std::move(action), RunAs::login);
    commands_.push_back({&row, &table, std::move(action)});
  }

  // The command of a part of the table, if it is one.
  const Defined* defined(const OptionTable* table) const {
    const auto found = std::find_if(commands_.begin(), commands_.end(),
                                    [&](const Defined& each) { return each.table == table; });
    return found == commands_.end() ? nullptr : &*found;
  }

  bool has_word(std::string_view word) const {
    return std::find(arguments_.begin(), arguments_.end(), word) != arguments_.end();
  }

  // `topsctl env exec -- PROGRAM...`, `topsctl launch -- SCRIPT...`: none of those words is
  // topsctl's, regardless of its form.
  void cut_off_program_words() {
    const auto dashes = std::find(arguments_.begin(), arguments_.end(), "--");
    if (dashes == arguments_.end()) return;
    const std::vector<std::string> words(dashes + 1, arguments_.end());
    const std::vector<std::string> before(arguments_.begin(), dashes);
    const auto has = [&](const char* word) {
      return std::find(before.begin(), before.end(), word) != before.end();
    };
    const bool takes_program =
        (has("env") && has("exec")) || has("launch") || has("rank") || has("completion");
    if (!takes_program) return;
    program_words_ = words;
    arguments_ = before;
  }

  // The first word that is neither an option nor an option's value.
  std::vector<std::string>::iterator command_word() {
    for (auto word = arguments_.begin() + 1; word < arguments_.end(); ++word) {
      if (!word->starts_with('-')) return word;
      const Option* const option = program_.find(*word);
      if (option != nullptr && !option->is_flag() && word + 1 != arguments_.end()) ++word;
    }
    return arguments_.end();
  }

  // `topsctl help install`: the second word is not a command to run.
  void name_page() {
    const auto help = command_word();
    if (help == arguments_.end() || *help != "help") return;
    if (help + 1 != arguments_.end() && !(help + 1)->starts_with('-'))
      arguments_.insert(help + 1, page_option);
  }

  void refuse_unknown_command() {
    const auto word = command_word();
    if (word == arguments_.end()) return;
    const bool is_known = std::any_of(commands_.begin(), commands_.end(),
                                      [&](const auto& each) { return each.row->name == *word; });
    if (!is_known) throw unknown_command(*word);
  }

  // The reader of the output may stop: `topsctl help install | head -1`.
  static bool is_written_or_unwanted() {
    if (std::cout) return true;
    pollfd out = {STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
  }

  static int print(std::string_view text) {
    std::cout << text << std::flush;
    if (is_written_or_unwanted()) return 0;
    tell_unwritten();
    return static_cast<int>(ExitCode::failed);
  }

  static void tell_unwritten() { std::cerr << format("error: cannot write to standard output\n"); }

  int print_page(const HelpRequest& request) const {
    if (request.command == "--version") return print(format("topsctl {}\n", topsctl_version()));
    const std::string text = shown_page(page_of(request.command), style_for(1));
    read_in_pager(text, style_for(1));
    return print(text);
  }

  bool wants_json() const {
    if (options_.json) return true;
    // The formats of `env` are its text; those of other commands are their reports.
    const bool has_formats = has_word("env");
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (has_formats && arguments_[i] != "--json") continue;
      const bool is_format = arguments_[i] == "--format" && i + 1 < arguments_.size();
      if (arguments_[i] == "--json" || arguments_[i] == "--format=json" ||
          (is_format && arguments_[i + 1] == "json")) {
        return true;
      }
    }
    return false;
  }

  // A terminal without control sequences.
  static bool is_dumb_terminal() {
    const auto environment = process_environment();
    const auto term = environment.find("TERM");
    return term == environment.end() || term->second.empty() || term->second == "dumb";
  }

  Style style_for(int descriptor) const {
    Style style{has_colors(descriptor)};
    const bool is_terminal = ::isatty(descriptor) == 1;
    const std::size_t given = descriptor == STDOUT_FILENO ? options_.columns : 0;
    const std::size_t columns = is_terminal ? terminal_size(descriptor).columns : given;
    if (is_terminal || columns != 0) style.columns = std::clamp<std::size_t>(columns, 60, 200);
    return style;
  }

  bool has_colors(int descriptor) const {
    const auto environment = process_environment();
    if (options_.color == "always") return true;
    const auto no_color = environment.find("NO_COLOR");
    const bool plain =
        (no_color != environment.end() && !no_color->second.empty()) || is_dumb_terminal();
    return options_.color == "auto" && !plain && ::isatty(descriptor) == 1;
  }

  std::string command_line() const {
    std::vector<std::string> words = {"topsctl"};
    for (std::size_t i = 1; i < arguments_.size(); ++i) words.push_back(typed_word(arguments_[i]));
    return joined(words, " ");
  }

  int run_command() {
    const bool is_quiet = options_.quiet || options_.events || wants_json();
    const Verbosity verbosity = is_quiet           ? Verbosity::quiet
                                : options_.verbose ? Verbosity::verbose
                                                   : Verbosity::normal;
    ProgressSink progress(verbosity, ::isatty(2) == 1 && !is_dumb_terminal(), style_for(2));
    EventFan sinks;
    SharedEvents shared(sinks);  // also for threads of connections
    EventFan events;
    events.add(&shared);
    sinks.add(&progress);
    EventLines lines;
    if (options_.events) sinks.add(&lines);
    std::optional<LogSink> log;
    if (!options_.log_file.empty()) sinks.add(&log.emplace(options_.log_file));
    SystemRunner runner;
    const SystemClock clock;
    Session session{{"/", &runner, &clock, process_environment()},
                    &events,
                    style_for(1),
                    verbosity,
                    command_line(),
                    &program_,
                    wants_json(),
                    ::isatty(0) == 1 && !wants_json() && !options_.events,
                    program_words_};
    known_bundle_ = [&]() -> std::optional<std::string> {
      if (!is_root_user()) return std::nullopt;
      const std::string root = chosen_->table->given("--root");
      return joined(known_bundle(session.with_root(root.empty() ? "/" : root)), " ");
    };
    try {
      Output output = chosen_->action.run(session);
      progress.clear();
      return write(std::move(output));
    } catch (const Error& error) {
      progress.clear();
      return report_failure(error);
    } catch (const std::exception& error) {
      progress.clear();
      return report_failure(Error(ErrorCode::internal, printable(error.what()),
                                  "this is a bug in topsctl: please report it"));
    }
  }

  int report_failure(const Error& error) {
    Output output;
    output.header.command = chosen_ == nullptr ? "topsctl" : chosen_->row->name;
    output.header.exit = exit_code(error.code());
    output.header.error = error;
    if (chosen_ != nullptr) output.json = chosen_->action.empty_body;
    return write(std::move(output));
  }

  int write(Output output) const {
    ToldWhere where{.program = &program_, .command = chosen_ == nullptr ? nullptr : chosen_->table};
    where.is_root = is_root_user();
    where.bundle = known_bundle_;
    for (std::string* text : {&output.text, &output.brief}) *text = std::string(translated(*text));
    tell_where(where, output);
    // Before the text's recommendation of the next step.
    if (!wants_json() && !options_.quiet) {
      for (const std::string& warning : output.header.warnings)
        std::cerr << fitted_lines(
            concat(style_for(2).yellow("warning:"), " ", translated(warning), "\n"), style_for(2));
    }
    if (output.is_written) {
      // Nothing is left to say there.
    } else if (wants_json()) {
      if (output.json_members) {
        std::string head = to_text(document(output.header, Json::object()));
        head.erase(head.rfind("\n}"));
        std::cout << head << ",\n";
        output.json_members(std::cout);
        std::cout << "\n}\n";
      } else {
        std::cout << to_text(document(output.header, output.json));
      }
    } else {
      std::cout << (options_.quiet && !output.brief.empty() ? output.brief : output.text);
    }
    std::cout.flush();
    if (!wants_json() && output.header.error)
      std::cerr << render_error(*output.header.error, style_for(2));
    if (!is_written_or_unwanted()) {
      tell_unwritten();
      // The status of a failure, or of a program that was run, has priority.
      if (!output.status && output.header.exit == ExitCode::done) {
        if (output.changed)
          std::cerr << format(
              "hint:  the command was completed; `topsctl history` lists transactions\n");
        return static_cast<int>(ExitCode::failed);
      }
    }
    return output.status.value_or(static_cast<int>(output.header.exit));
  }

  std::vector<std::string> arguments_;
  std::optional<std::vector<std::string>> program_words_;
  GlobalOptions options_;
  OptionTable program_{
      "topsctl",
      "Install, verify and roll back vendor stacks such as Enflame TopsRider on servers"};
  std::vector<Defined> commands_;
  const Defined* chosen_ = nullptr;
  std::function<std::optional<std::string>()> known_bundle_;
};

// While it lives, writing to standard error never blocks.
class NonBlockingErrors {
 public:
  NonBlockingErrors() : buffer_(2), before_(std::cerr.rdbuf()) {
    if (before_ == usual) std::cerr.rdbuf(&buffer_);  // else it was redirected before
  }
  ~NonBlockingErrors() { std::cerr.rdbuf(before_); }
  NonBlockingErrors(const NonBlockingErrors&) = delete;
  NonBlockingErrors& operator=(const NonBlockingErrors&) = delete;

 private:
  static std::streambuf* const usual;
  NonBlockingStreambuf buffer_;
  std::streambuf* before_;
};

std::streambuf* const NonBlockingErrors::usual = std::cerr.rdbuf();

}  // namespace

int run(const std::vector<std::string>& arguments) {
  try {
    prepare_process();
    watch_signals();
    use_language(asked_language(arguments, process_environment()));
    const NonBlockingErrors errors;
    return Program(arguments).run();
  } catch (const std::exception& error) {
    std::cerr << "error: " << printable(error.what()) << "\n";
    return static_cast<int>(ExitCode::failed);
  }
}

}  // namespace topsctl
