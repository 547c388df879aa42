// topsctl runs: running and past launches.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t most_rank = 1'000'000;
constexpr std::uint64_t most_record = std::uint64_t{16} << 20U;
constexpr std::int64_t between_looks_ms = 500;
constexpr std::size_t piece_size = std::size_t{64} << 10U;

struct RunsCommandOptions {
  std::string run = "last";
  std::int64_t rank = 0;
  bool follow = false;
};

Json json_of(const Run& run) {
  const RecordSummary& record = run.record;
  return {{"run", run.name},
          {"state", name(run.state)},
          {"log_folder", run.log_folder},
          {"words", record.request.words},
          {"started_at", text_or_null(record.started_at)},
          {"ended_at", text_or_null(record.ended_at)},
          {"status", record.status ? Json(*record.status) : Json(nullptr)},
          {"first_cause", text_or_null(record.first_cause)},
          {"attempts", record.attempts},
          {"ranks", record.ranks.size()},
          {"problem", text_or_null(run.problem)}};
}

Json body_of(const std::vector<Run>& runs, const Json& record) {
  Json list = Json::array();
  for (const Run& run : runs) list.push_back(json_of(run));
  return {{"runs", std::move(list)}, {"record", record}};
}

Output output_of(const std::vector<Run>& runs, std::string text, const Json& record = nullptr) {
  Output output;
  output.header.command = "runs";
  output.json = body_of(runs, record);
  output.text = std::move(text);
  return output;
}

std::string outcome_of(const Run& run) {
  if (run.state != RunState::ended) return std::string(name(run.state));
  const RecordSummary& record = run.record;
  if (record.status == 0) return "succeeded";
  const std::string status = record.status ? concat(*record.status) : "?";
  if (record.first_cause.empty()) return format("exit status {}", status);
  return format("exit status {}: {}", status, record.first_cause);
}

std::string script_of(const Run& run) {
  return run.record.request.words.empty() ? "-" : printable(run.record.request.words.front());
}

Output list_runs(Session& session) {
  const std::vector<Run> runs = all_runs(session.with_own_state());
  if (runs.empty())
    return output_of(runs, "no runs found; `topsctl launch -- SCRIPT` starts one\n");
  std::vector<std::vector<std::string>> rows = {{"run", "state", "ranks", "script", "logs"}};
  for (const Run& run : runs)
    rows.push_back({run.name, outcome_of(run), concat(run.record.ranks.size()), script_of(run),
                    printable(run.log_folder)});
  return output_of(runs, table(rows, session.style));
}

Run readable(const Host& host, const std::string& word) {
  Run run = run_named(host, word);
  if (run.state == RunState::unreadable)
    throw Error(
        run.is_of_other ? ErrorCode::permission : ErrorCode::bad_input, run.problem,
        run.is_of_other ? "read it as that user" : "its log directory may still have the logs");
  return run;
}

Output show(const RunsCommandOptions& options, Session& session) {
  const Run run = readable(session.with_own_state(), options.run);
  const std::string file = concat(run.log_folder, "/", record_name);
  const Json record = parse_json(read_text(file, most_record), in_quotes(file));
  const Style& style = session.style;
  const auto row = [&](const char* label, const std::string& value) {
    return concat(style.bold(label), " ", value, "\n");
  };
  std::vector<std::string> words;
  for (const std::string& word : run.record.request.words) words.push_back(typed_word(word));
  std::string text =
      row("run:", run.name) + row("state:", outcome_of(run)) + row("script:", joined(words, " ")) +
      row("begun:", printable(run.record.started_at)) +
      row("attempts:", concat(run.record.attempts)) + row("logs:", printable(run.log_folder));
  const bool have_hosts = run.record.hosts > 0;
  std::vector<std::vector<std::string>> rows = {{"rank", "pid", "iteration", "last line"}};
  if (have_hosts) rows.front().insert(rows.front().begin() + 1, "host");
  constexpr std::size_t shown = 60;
  for (const RecordSummary::Rank& rank : run.record.ranks) {
    std::vector<std::string>& row_of_rank = rows.emplace_back();
    row_of_rank = {concat(rank.rank), rank.pid ? concat(*rank.pid) : "-",
                   rank.iteration.empty() ? "-" : printable(rank.iteration),
                   printable(shortened(rank.last_line, shown))};
    if (have_hosts) row_of_rank.insert(row_of_rank.begin() + 1, printable(rank.host));
  }
  return output_of({run}, text + table(rows, style), record);
}

Output stop(const RunsCommandOptions& options, Session& session) {
  const Host host = session.with_own_state();
  Run run = readable(host, options.run);
  if (run.state != RunState::running)
    return output_of({run}, format("{} is not running: {}\n", run.name, outcome_of(run)));
  if (!stop_run(run))
    throw Error(ErrorCode::step_failed, format("{} did not stop", run.name),
                format("process {} is blocked: check its ranks", run.record.pid));
  run = readable(host, run.log_folder);
  return output_of({run}, format("{} stopped: {}\n", run.name, outcome_of(run)));
}

// Prints a growing log. Output of a rank must not control the terminal.
class LogPrinter {
 public:
  explicit LogPrinter(std::string name)
      : name_(std::move(name)),
        log_(::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)),
        out_(::dup(STDOUT_FILENO)),
        is_terminal_(::isatty(STDOUT_FILENO) == 1) {
    struct stat status {};
    if (!log_.is_open() || ::fstat(log_.get(), &status) != 0)
      throw system_error(errno, "read", name_, ErrorCode::bad_input);
    if (!S_ISREG(status.st_mode))
      throw Error(ErrorCode::bad_input, format("{} is no file", in_quotes(name_)));
  }

  // The rest of the file.
  void print_rest() {
    std::array<char, piece_size> piece{};
    for (;;) {
      throw_if_interrupted();
      const ssize_t got = ::read(log_.get(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw system_error(errno, "read", name_);
      if (got == 0) return;
      print({piece.data(), static_cast<std::size_t>(got)});
    }
  }

  // Also prints a last line without an end.
  void end() { write(std::exchange(rest_, {})); }

 private:
  void print(std::string_view bytes) {
    if (!is_terminal_) return write_all(out_, bytes, "standard output");
    rest_.append(bytes);
    const auto end = rest_.find_last_of("\n\r");
    if (end == std::string::npos && rest_.size() < piece_size) return;
    const std::size_t size = end == std::string::npos ? rest_.size() : end + 1;
    write(rest_.substr(0, size));
    rest_.erase(0, size);
  }

  void write(std::string text) {
    std::replace(text.begin(), text.end(), '\r', '\n');
    write_all(out_, printable(text, Lines::keep), "standard output");
  }

  std::string name_;
  Descriptor log_;
  Descriptor out_;
  bool is_terminal_;
  std::string rest_;
};

// With --json the report has the paths of the logs, but not their lines.
Output logs(const RunsCommandOptions& options, Session& session) {
  const Host host = session.with_own_state();
  Run run = readable(host, options.run);
  const auto& ranks = run.record.ranks;
  const auto rank = std::find_if(ranks.begin(), ranks.end(),
                                 [&](const auto& each) { return each.rank == options.rank; });
  if (rank == ranks.end() && run.record.hosts > 0 && run.state == RunState::running)
    throw Error(
        ErrorCode::bad_input,
        format("the logs of {} are collected from its hosts when it ends", run.name),
        "`topsctl launch -- SCRIPT` prints the output of its first rank; `topsctl watch` on a host "
        "shows the others");
  if (rank == ranks.end())
    throw Error(ErrorCode::bad_input, format("{} has no rank {}", run.name, options.rank),
                format("it contains {}", counted(ranks.size(), "rank")));
  if (session.json) return output_of({run}, "");
  const std::string file = rank->log;
  LogPrinter log(file);
  log.print_rest();
  const FileWatch watch(file);
  while (options.follow && run.state == RunState::running) {
    static_cast<void>(wait_for({watch.descriptor()}, WaitLimit(between_looks_ms)));
    throw_if_interrupted();
    watch.clear();
    log.print_rest();
    run = readable(host, run.log_folder);
    // A restart continues in another file.
    if (run.state == RunState::running && run.record.ranks.size() > 0 &&
        std::none_of(run.record.ranks.begin(), run.record.ranks.end(),
                     [&](const auto& each) { return each.log == file; })) {
      log.print_rest();
      log.end();
      return logs({run.log_folder, options.rank, options.follow}, session);
    }
  }
  log.print_rest();
  log.end();
  return output_of({run}, "");
}

using Act = Output (*)(const RunsCommandOptions&, Session&);

}  // namespace

CommandAction define_runs(OptionTable& table) {
  auto options = std::make_shared<RunsCommandOptions>();
  static_cast<void>(table.part("list", "List runs, oldest first"));
  struct Part {
    const OptionTable* table;
    Act act;
  };
  std::vector<Part> parts;
  const auto add = [&](const char* name, const char* description, Act act) -> OptionTable& {
    OptionTable& part = table.part(name, description);
    part.argument("run", options->run, "Run name, its prefix, its log directory, or last", "RUN")
        .lists("runs");
    parts.push_back({&part, act});
    return part;
  };
  add("show", "Show a run and its outcome", show);
  add("stop", "Stop all ranks of a running training", stop);
  OptionTable& log = add("logs", "Print the output of a rank", logs);
  log.value("--rank", options->rank, "Rank; default: 0", "N").check(whole_number(0, most_rank));
  log.flag("-f,--follow", options->follow, "Follow the log until the run ends");
  return {[options, parts](Session& session) {
            for (const Part& part : parts) {
              if (part.table->is_given) return part.act(*options, session);
            }
            return list_runs(session);
          },
          body_of({}, nullptr)};
}

}  // namespace topsctl
