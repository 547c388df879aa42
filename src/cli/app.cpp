// Parses the command line, runs the command, and writes its report to standard output.
#include "topsctl/cli/app.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/event_lines.hpp"
#include "cli/non_blocking_streambuf.hpp"
#include "cli/remote_command.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/embedded.hpp"
#include "topsctl/base/log_sink.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/startup.hpp"

namespace topsctl {

namespace {

struct GlobalOptions {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool events = false;
  std::string color = "auto";
  std::string log_file;
};

// Asked for with --help; carries the command's name, empty for the program itself.
struct HelpRequest {
  std::string command;
};

class Program {
 public:
  explicit Program(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
    cut_off_program_words();
    parser_.name("topsctl");
    parser_.description(
        "Installs, verifies and rolls back vendor stacks such as Enflame TopsRider on servers");
    parser_.fallthrough();
    parser_.set_help_flag("-h", "Print a short help and exit");
    parser_
        .add_flag_callback(
            "--help", [] { throw HelpRequest{""}; }, "Print the whole page and exit")
        ->trigger_on_parse();
    parser_
        .add_flag_callback(
            "--version", [] { throw HelpRequest{"--version"}; }, "Print the version and exit")
        ->trigger_on_parse();
    parser_.add_flag("--json", options_.json, "Write the report as JSON to standard output")
        ->group("Everywhere");
    parser_.add_flag("-q,--quiet", options_.quiet, "Show no progress")->group("Everywhere");
    parser_.add_flag("-v,--verbose", options_.verbose, "Show what the programs that are run say")
        ->group("Everywhere");
    parser_.add_flag("--events", options_.events, "Write events as JSON lines to standard error")
        ->group("Everywhere");
    parser_.add_option("--color", options_.color, "auto, always or never")
        ->group("Everywhere")
        ->check(one_of({"auto", "always", "never"}));
    parser_.add_option("--log-file", options_.log_file, "Write a log to this file too")
        ->group("Everywhere");
    for (const CommandRow& row : command_table()) add_command(row);
    parser_.get_formatter()->column_width(34);
  }

  int run() {
    try {
      if (arguments_.size() <= 1) {
        std::cerr << parser_.help();
        return static_cast<int>(ExitCode::usage);
      }
      refuse_unknown_command();
      std::vector<std::string> reversed(arguments_.rbegin(), arguments_.rend() - 1);
      parser_.parse(reversed);
      if (chosen_ == nullptr)
        throw Error(ErrorCode::usage, "no command given", "`topsctl -h` lists the commands");
      return run_command();
    } catch (const HelpRequest& request) {
      print_page(request);
      return 0;
    } catch (const CLI::CallForHelp&) {
      std::cout << short_help();
      return 0;
    } catch (const CLI::ParseError& error) {
      chosen_ = parsed_command();
      return report_failure(usage_error(error));
    } catch (const Error& error) {
      return report_failure(error);
    }
  }

 private:
  struct Defined {
    const CommandRow* row;
    CLI::App* parser;
    CommandAction action;
  };

  void add_command(const CommandRow& row) {
    CLI::App* parser = parser_.add_subcommand(row.name, row.summary);
    parser->set_help_flag("-h", "Print a short help and exit");
    if (row.place == CommandPlace::hidden) parser->group("");
    const std::string name = row.name;
    parser
        ->add_flag_callback(
            "--help", [name] { throw HelpRequest{name}; }, "Print the whole page and exit")
        ->trigger_on_parse();
    CommandAction action = row.define(*parser);
    if (row.place == CommandPlace::anywhere_as_root)
      action = also_elsewhere(*parser, std::move(action), RunAs::root);
    if (row.place == CommandPlace::anywhere)
      action = also_elsewhere(*parser, std::move(action), RunAs::login);
    commands_.push_back({&row, parser, std::move(action)});
    const std::size_t index = commands_.size() - 1;
    parser->final_callback([this, index] { chosen_ = &commands_[index]; });
  }

  std::string short_help() const {
    const Defined* command = parsed_command();
    return command == nullptr ? parser_.help() : command->parser->help("topsctl");
  }

  bool has_word(std::string_view word) const {
    return std::find(arguments_.begin(), arguments_.end(), word) != arguments_.end();
  }

  // `topsctl env exec -- PROGRAM...`: none of those words is topsctl's, whatever it looks like.
  void cut_off_program_words() {
    const auto dashes = std::find(arguments_.begin(), arguments_.end(), "--");
    if (dashes == arguments_.end()) return;
    const std::vector<std::string> words(dashes + 1, arguments_.end());
    const std::vector<std::string> before(arguments_.begin(), dashes);
    const auto has = [&](const char* word) {
      return std::find(before.begin(), before.end(), word) != before.end();
    };
    if (!has("env") || !has("exec")) return;
    program_words_ = words;
    arguments_ = before;
  }

  // The first word that is neither an option nor an option's value must be a command.
  void refuse_unknown_command() const {
    for (std::size_t i = 1; i < arguments_.size(); ++i) {
      const std::string& word = arguments_[i];
      if (word == "--color" || word == "--log-file") ++i;
      if (word.starts_with('-')) continue;
      std::vector<std::string> names;
      for (const Defined& command : commands_) names.emplace_back(command.row->name);
      if (std::find(names.begin(), names.end(), word) != names.end()) return;
      throw Error(ErrorCode::usage,
                  concat("unknown command ", in_quotes(word), did_you_mean(word, names)),
                  "`topsctl -h` lists the commands");
    }
  }

  const Defined* parsed_command() const {
    for (const Defined& candidate : commands_) {
      if (candidate.parser->parsed()) return &candidate;
    }
    return nullptr;
  }

  Error usage_error(const CLI::ParseError& error) const {
    std::string message = printable(error.what());
    const Defined* command = parsed_command();
    const std::string page =
        command == nullptr ? "topsctl -h" : concat("topsctl ", command->row->name, " -h");
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
      const std::vector<std::string> extras = parser_.remaining(true);
      const std::string word = extras.empty() ? "" : extras.front();
      std::vector<std::string> known;
      for (const CLI::App* parser :
           {static_cast<const CLI::App*>(&parser_),
            command == nullptr ? nullptr : static_cast<const CLI::App*>(command->parser)}) {
        if (parser == nullptr) continue;
        for (const CLI::Option* option : parser->get_options()) {
          for (const std::string& name : option->get_lnames()) known.push_back(concat("--", name));
        }
      }
      message = concat("unknown ", word.starts_with('-') ? "option " : "argument ", in_quotes(word),
                       word.starts_with('-') ? did_you_mean(word, known) : std::string());
    }
    if (!message.empty() && message.front() >= 'A' && message.front() <= 'Z' &&
        message.size() > 1 && message[1] >= 'a') {
      message.front() = static_cast<char>(message.front() - 'A' + 'a');
    }
    return Error(ErrorCode::usage, message, concat("`", page, "` shows how to call it"));
  }

  void print_page(const HelpRequest& request) const {
    if (request.command == "--version") {
      std::cout << "topsctl " << topsctl_version() << "\n";
      return;
    }
    const auto page = embedded_file(
        concat("commands/", request.command.empty() ? "topsctl" : request.command, ".md"));
    std::cout << (page ? *page : std::string_view("no page\n"));
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

  Style style_for(int descriptor) const {
    const auto environment = process_environment();
    if (options_.color == "always") return {true};
    const auto no_color = environment.find("NO_COLOR");
    const auto term = environment.find("TERM");
    const bool plain = (no_color != environment.end() && !no_color->second.empty()) ||
                       term == environment.end() || term->second == "dumb";
    return {options_.color == "auto" && !plain && ::isatty(descriptor) == 1};
  }

  std::string command_line() const {
    std::vector<std::string> words = {"topsctl"};
    for (std::size_t i = 1; i < arguments_.size(); ++i)
      words.push_back(shell_quoted(arguments_[i]));
    return joined(words, " ");
  }

  int run_command() {
    const bool is_quiet = options_.quiet || options_.events || wants_json();
    const Verbosity verbosity = is_quiet           ? Verbosity::quiet
                                : options_.verbose ? Verbosity::verbose
                                                   : Verbosity::normal;
    ProgressSink progress(verbosity, ::isatty(2) == 1, style_for(2));
    EventFan events;
    events.add(&progress);
    EventLines lines;
    if (options_.events) events.add(&lines);
    std::optional<LogSink> log;
    if (!options_.log_file.empty()) events.add(&log.emplace(options_.log_file));
    SystemRunner runner;
    const SystemClock clock;
    Session session{{"/", &runner, &clock, process_environment()},
                    &events,
                    style_for(1),
                    verbosity,
                    command_line(),
                    &parser_,
                    wants_json(),
                    program_words_};
    try {
      const Output output = chosen_->action.run(session);
      progress.clear();
      return write(output);
    } catch (const Error& error) {
      progress.clear();
      return report_failure(error);
    } catch (const std::exception& error) {
      progress.clear();
      return report_failure(Error(ErrorCode::internal, printable(error.what()),
                                  "this is a defect of topsctl: please report it"));
    }
  }

  int report_failure(const Error& error) {
    Output output;
    output.header.command = chosen_ == nullptr ? "topsctl" : chosen_->row->name;
    output.header.exit = exit_code(error.code());
    output.header.error = error;
    if (chosen_ != nullptr) output.json = chosen_->action.empty_body;
    return write(output);
  }

  int write(const Output& output) const {
    if (wants_json()) {
      if (output.json_members) {
        std::string head = to_text(document(output.header, Json::object()));
        head.erase(head.rfind("\n}"));
        std::cout << head << ",\n";
        output.json_members(std::cout);
        std::cout << "\n}\n";
      } else {
        const Json body = output.json.empty() ? Json::object() : Json::parse(output.json);
        std::cout << to_text(document(output.header, body));
      }
    } else {
      std::cout << output.text;
    }
    std::cout.flush();
    if (!wants_json()) {
      const Style style = style_for(2);
      for (const std::string& warning : output.header.warnings) {
        if (!options_.quiet) std::cerr << style.yellow("warning:") << " " << warning << "\n";
      }
      if (output.header.error) std::cerr << render_error(*output.header.error, style);
    }
    if (!std::cout) {
      std::cerr << "error: cannot write to standard output\n";
      // The status of what was done to a machine counts for more.
      if (!output.changed && output.header.exit == ExitCode::done)
        return static_cast<int>(ExitCode::failed);
    }
    return static_cast<int>(output.header.exit);
  }

  std::vector<std::string> arguments_;
  std::optional<std::vector<std::string>> program_words_;
  GlobalOptions options_;
  CLI::App parser_;
  std::vector<Defined> commands_;
  const Defined* chosen_ = nullptr;
};

}  // namespace

namespace {

// While it lives, what is said on standard error holds nothing up.
class NonBlockingErrors {
 public:
  NonBlockingErrors() : buffer_(2), before_(std::cerr.rdbuf()) {
    if (before_ == usual) std::cerr.rdbuf(&buffer_);  // else somebody listens already
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
    const NonBlockingErrors errors;
    return Program(arguments).run();
  } catch (const std::exception& error) {
    std::cerr << "error: " << printable(error.what()) << "\n";
    return static_cast<int>(ExitCode::failed);
  }
}

}  // namespace topsctl
