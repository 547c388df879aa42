// The loop between the pipes of ranks, their logs, and signals.
#include "topsctl/engine/launch/launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/launch/busy_check.hpp"
#include "engine/launch/rank_log.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/doctor_report.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/diagnosis/log_files.hpp"
#include "topsctl/host/system/exec_program.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/supervisor.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece_size = std::size_t{64} << 10U;
constexpr std::int64_t grace_ms = 10'000;     // between SIGTERM and SIGKILL
constexpr std::int64_t stragglers_ms = 2000;  // for what is left when the engine has ended
constexpr std::int64_t kill_again_ms = 100;
constexpr const char* record_file = "launch.json";

// One stream of output on its way into a file.
struct Stream {
  std::int64_t rank;  // -1: the engine
  Descriptor input;
  RankLog log;
  std::uint64_t lines = 0;
  std::string last_line;
};

Descriptor make_rank_pipe(const fs::path& file) {
  if (::mkfifo(file.c_str(), 0600) != 0) throw system_error(errno, "make", file.string());
  // Both ends: it does not end while ranks come and go.
  Descriptor pipe(::open(file.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (!pipe.is_open()) throw system_error(errno, "open", file.string());
  return pipe;
}

class Launch {
 public:
  Launch(const Host& host, const LaunchPlan& plan, Language language, RankListener& listener)
      : host_(host), listener_(listener), language_(language) {
    record_.plan = plan;
    record_.started_at = timestamp(host.clock->now());
    make_folder();
    for (std::int64_t rank = 0; rank < plan.ranks; ++rank) {
      record_.ranks.push_back({rank, (folder_ / concat("rank_", rank, ".log")).string(), 0, {}});
      streams_.push_back({rank,
                          make_rank_pipe(pipe_of_rank(plan.log_folder, concat(rank))),
                          RankLog(record_.ranks.back().log),
                          0,
                          {}});
    }
    write_record();
  }

  LaunchRecord run() {
    start();
    while (!supervisor_->is_over()) {
      wait();
      for (Stream& stream : streams_) take(stream);
      supervisor_->reap();
      note_first_failure();
      look_for_signals();
      check_cards();
      end_stragglers();
    }
    record_.status = status_of_group();
    busy_checker_.reset();
    supervisor_.reset();
    for (Stream& stream : streams_) finish(stream);
    record_.ended_at = timestamp(host_.clock->now());
    for (std::int64_t rank = 0; rank < record_.plan.ranks; ++rank)
      ::unlink(pipe_of_rank(record_.plan.log_folder, concat(rank)).c_str());
    judge();
    write_record();
    return std::move(record_);
  }

 private:
  Error cannot_make(int reason) const {
    const Error error = system_error(reason, "make folder", record_.plan.log_folder.string(),
                                     ErrorCode::host_unfit);
    return {error.code(), error.message(), "name a folder that you may write to: --log-dir DIR"};
  }

  void make_folder() {
    const fs::path& top = record_.plan.log_folder;
    std::error_code failure;
    fs::create_directories(top.parent_path(), failure);
    if (failure) throw cannot_make(failure.value());
    if (::mkdir(top.c_str(), 0755) != 0) {
      if (errno == EEXIST)
        throw Error(ErrorCode::bad_input, format("{} is there already", in_quotes(top.string())),
                    "name another folder for the logs: --log-dir DIR");
      throw cannot_make(errno);
    }
    folder_ = top / "attempt_0";
    make_directories(folder_, 0755);
  }

  void start() {
    Pipe output = make_pipe();
    ::fcntl(output.read_end.get(), F_SETFL, O_NONBLOCK);
    streams_.push_back({-1, std::move(output.read_end), RankLog(folder_ / "launcher.log"), 0, {}});
    const LaunchPlan& plan = record_.plan;
    supervisor_.emplace();
    busy_checker_.emplace(host_, record_.plan, *supervisor_);
    if (plan.engine == LaunchEngine::torchrun) {
      programs_.push_back(supervisor_->start(plan.argv, plan.environment, output.write_end));
      return;
    }
    for (std::int64_t rank = 0; rank < plan.ranks; ++rank)
      programs_.push_back(
          supervisor_->start(plan.argv, environment_of_rank(plan, rank), output.write_end));
  }

  void wait() const {
    std::vector<pollfd> polled;
    for (const Stream& stream : streams_) {
      if (stream.input.is_open()) polled.push_back({stream.input.get(), POLLIN, 0});
    }
    polled.push_back({supervisor_->descriptor(), POLLIN, 0});
    if (interrupt_descriptor() >= 0 && !is_interrupted())
      polled.push_back({interrupt_descriptor(), POLLIN, 0});
    int limit = limit_.poll_timeout();
    if (are_cards_asked()) {
      if (busy_checker_->descriptor() >= 0)
        polled.push_back({busy_checker_->descriptor(), POLLIN, 0});
      const int check = busy_checker_->next().poll_timeout();
      if (limit < 0 || (check >= 0 && check < limit)) limit = check;
    }
    ::poll(polled.data(), polled.size(), limit);
  }

  void take(Stream& stream) {
    std::array<char, piece_size> piece{};
    while (stream.input.is_open()) {
      const ssize_t got = ::read(stream.input.get(), piece.data(), piece.size());
      if (got > 0) {
        attempt([&] {
          stream.log.take({piece.data(), static_cast<std::size_t>(got)}, host_.clock->now(),
                          hears(stream));
        });
      } else if (got == 0) {
        stream.input.close();
      } else if (errno != EINTR) {
        return;
      }
    }
  }

  void finish(Stream& stream) {
    take(stream);
    attempt([&] { stream.log.end(host_.clock->now(), hears(stream)); });
    if (stream.rank < 0) return;
    RankRecord& rank = record_.ranks.at(static_cast<std::size_t>(stream.rank));
    rank.lines = stream.lines;
    rank.last_line = stream.last_line;
  }

  // A training is worth more than its logs: it goes on without them.
  template <class Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      if (record_.log_problem.empty()) record_.log_problem = error.message();
    }
  }

  std::function<void(std::string_view)> hears(Stream& stream) {
    return [this, &stream](std::string_view line) {
      ++stream.lines;
      if (!trimmed(line).empty()) stream.last_line = printable(std::string(line.substr(0, 400)));
      if (stream.rank < 0)
        listener_.launcher_line(line);
      else
        listener_.line(stream.rank, line);
    };
  }

  void look_for_signals() {
    try {
      throw_if_interrupted();
      return;
    } catch (const Error& error) {
      record_.ended_by = error.code() == ErrorCode::interrupted ? SIGINT : SIGTERM;
    }
    clear_interrupt();
    supervisor_->signal_all(is_stopping_ ? SIGKILL : SIGTERM);
    if (!is_stopping_) limit_ = WaitLimit(grace_ms);
    is_stopping_ = true;
  }

  // Once the group has ended, or has had its time after a signal, nobody waits for the rest.
  void end_stragglers() {
    if (has_group_ended() && !is_ended_) {
      is_ended_ = true;
      supervisor_->signal_all(SIGTERM);
      limit_ = WaitLimit(stragglers_ms);
    }
    if (!limit_.is_over()) return;
    supervisor_->signal_all(SIGKILL);
    limit_ = WaitLimit(kill_again_ms);
  }

  bool are_cards_asked() const { return !is_ended_ && !is_stopping_; }

  void check_cards() {
    if (!are_cards_asked()) return;
    const auto check = busy_checker_->step();
    if (!check) return;
    record_.busy_check = check;
    write_record();
    listener_.checked(*check, record_.plan.ranks);
  }

  void note_first_failure() {
    for (const pid_t program : programs_) {
      const auto status = supervisor_->status(program);
      if (first_failure_ == 0 && status && !record_.ended_by) first_failure_ = *status;
    }
  }

  // A rank that fails ends all, as with torchrun.
  bool has_group_ended() const {
    bool has_all = true;
    for (const pid_t program : programs_) {
      const auto status = supervisor_->status(program);
      if (status && *status != 0) return true;
      has_all = has_all && status.has_value();
    }
    return has_all;
  }

  // That of the first that failed; those that were ended for its sake come later.
  int status_of_group() const {
    if (first_failure_ != 0) return first_failure_;
    return record_.ended_by ? 128 + *record_.ended_by : 0;
  }

  void judge() {
    if (*record_.status == 0 || record_.ended_by) return;
    try {
      const DiagnosisCatalogue catalogue = known_diagnoses();
      const LogMatcher matcher(catalogue);
      const LogStory story =
          read_logs(matcher, find_log_files({record_.plan.log_folder.string()}), {});
      record_.judgement = judge_logs(catalogue, story, *record_.status, language_);
    } catch (const Error& error) {
      record_.log_problem = error.message();
    }
  }

  void write_record() {
    attempt([&] {
      write_durably(record_.plan.log_folder / record_file, to_text(to_json(record_)), 0644);
    });
  }

  const Host& host_;
  RankListener& listener_;
  const Language language_;
  LaunchRecord record_;
  fs::path folder_;
  std::vector<Stream> streams_;
  std::optional<Supervisor> supervisor_;
  std::optional<BusyChecker> busy_checker_;  // uses it
  std::vector<pid_t> programs_;
  int first_failure_ = 0;
  WaitLimit limit_;  // until SIGKILL
  bool is_stopping_ = false;
  bool is_ended_ = false;
};

}  // namespace

namespace {

Json to_json(const BusyCheck& check) {
  return {{"at", check.at},
          {"cards_busy", check.cards_busy ? Json(*check.cards_busy) : Json(nullptr)},
          {"first_cause", text_or_null(check.first_cause)}};
}

}  // namespace

Json to_json(const LaunchRecord& record) {
  Json ranks = Json::array();
  for (const RankRecord& rank : record.ranks) {
    ranks.push_back({{"rank", rank.rank},
                     {"log", rank.log},
                     {"lines", rank.lines},
                     {"last_line", text_or_null(rank.last_line)}});
  }
  Json diagnoses = nullptr;
  if (record.judgement) {
    DoctorReport report;
    report.judgement = *record.judgement;
    diagnoses = to_json(report).at("diagnoses");
  }
  return {{"schema", 1},
          {"plan", to_json(record.plan)},
          {"started_at", record.started_at},
          {"ended_at", text_or_null(record.ended_at)},
          {"status", record.status ? Json(*record.status) : Json(nullptr)},
          {"ended_by", record.ended_by ? Json(*record.ended_by) : Json(nullptr)},
          {"ranks", std::move(ranks)},
          {"busy_check", record.busy_check ? to_json(*record.busy_check) : Json(nullptr)},
          {"verdict", record.judgement ? Json(name(record.judgement->verdict)) : Json(nullptr)},
          {"first_cause",
           record.judgement ? text_or_null(record.judgement->first_cause) : Json(nullptr)},
          {"diagnoses", std::move(diagnoses)},
          {"log_problem", text_or_null(record.log_problem)}};
}

LaunchRecord launch(const Host& host, const LaunchPlan& plan, Language language,
                    RankListener& listener) {
  return Launch(host, plan, language, listener).run();
}

void become_rank(const fs::path& log_folder, const std::vector<std::string>& words,
                 const std::map<std::string, std::string>& environment) {
  const auto rank = environment.find("LOCAL_RANK");
  if (rank == environment.end() || !is_digits(rank->second))
    throw Error(ErrorCode::usage, "LOCAL_RANK is no number", "`topsctl launch` starts ranks");
  die_with_parent();
  const fs::path pipe = pipe_of_rank(log_folder, rank->second);
  const Descriptor output(::open(pipe.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!output.is_open()) throw system_error(errno, "open", pipe.string());
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (::dup2(output.get(), stream) < 0) throw system_error(errno, "write", pipe.string());
  }
  exec_program(words, environment);
}

}  // namespace topsctl
