// The main loop: reads the ranks' pipes, writes their logs, and handles signals.
#include "engine/launch/attempt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>

#include "engine/launch/iteration.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/training_batch.hpp"
#include "topsctl/host/facts/control_group.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece_size = std::size_t{64} << 10U;
constexpr int pieces_in_a_row = 4;
constexpr std::int64_t timeout_ms = 60'000;   // with processes that no signal ends: a driver hangs
constexpr std::int64_t grace_ms = 10'000;     // between SIGTERM and SIGKILL
constexpr std::int64_t stragglers_ms = 2000;  // for processes that remain when the engine has ended
constexpr std::int64_t kill_again_ms = 100;
constexpr std::int64_t tick_ms = 1000;
constexpr std::size_t longest_last_line = 400;
constexpr std::size_t most_pids_text = 65'536;
constexpr int status_of_torchrun = 1;     // if a rank has failed
constexpr std::int64_t others_ms = 3000;  // for torchruns of other hosts to fail as well
constexpr std::string_view told_by_torchrun = "failed (exitcode: ";  // when a rank has failed

// Opens both ends, so that it has no end of file while ranks start and exit.
Descriptor make_named_pipe(const fs::path& file) {
  if (::mkfifo(file.c_str(), 0600) != 0) throw system_error(errno, "make", file.string());
  Descriptor pipe(::open(file.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (!pipe.is_open()) throw system_error(errno, "open", file.string());
  return pipe;
}

}  // namespace

Attempt::Attempt(const Host& host, LaunchPlan plan, AttemptRules rules, RankListener& listener)
    : host_(host), plan_(std::move(plan)), rules_(std::move(rules)), listener_(listener) {
  record_.started_at = timestamp(host.clock->now());
  oom_kills_before_ = oom_kills_of_group(host).value_or(0);
  record_.master_port = plan_.master_port;
  const std::int64_t nodes = plan_.place ? plan_.place->nodes() : 1;
  record_.throughput.global_batch = global_batch_of(plan_.words, plan_.ranks * nodes);
  make_directories(plan_.log_folder, 0700);
  pids_ = make_named_pipe(pipe_of_pids(plan_.log_folder));
  for (std::int64_t rank = 0; rank < plan_.ranks; ++rank) {
    RankRecord& record = record_.ranks.emplace_back();
    record.rank = rank;
    record.log = (plan_.log_folder / concat("rank_", rank, ".log")).string();
    streams_.push_back(
        {rank, make_named_pipe(pipe_of_rank(plan_.log_folder, concat(rank))), RankLog(record.log)});
  }
}

AttemptRecord Attempt::run() {
  start();
  while (!supervisor_->is_over()) {
    wait();
    take_pids();
    for (Stream& stream : streams_) take(stream, pieces_in_a_row);
    supervisor_->reap();
    note_first_failure();
    look_for_signals();
    end_waiting_engine();
    // A check may fail for lack of resources; that must not end the training.
    with_logs([&] {
      check_cards();
      look_for_stall();
      tick();
    });
    end_stragglers();
    if (patience_.is_over()) break;
  }
  record_.status = status_of_group();
  busy_checker_.reset();
  stall_watch_.reset();
  supervisor_.reset();
  for (Stream& stream : streams_) finish(stream);
  note_lack_of_memory();
  measure();
  record_.ended_at = timestamp(host_.clock->now());
  ::unlink(pipe_of_pids(plan_.log_folder).c_str());
  for (const RankRecord& rank : record_.ranks)
    ::unlink(pipe_of_rank(plan_.log_folder, concat(rank.rank)).c_str());
  return record_;
}

void Attempt::start() {
  Pipe output = make_pipe();
  ::fcntl(output.read_end.get(), F_SETFL, O_NONBLOCK);
  streams_.push_back({-1, std::move(output.read_end), RankLog(plan_.log_folder / "launcher.log")});
  supervisor_.emplace();
  load_.emplace(host_);
  flow_ = FlowMeter::begun(plan_.environment);
  busy_checker_.emplace(host_, plan_, *supervisor_);
  if (plan_.engine == LaunchEngine::torchrun) {
    programs_.push_back(supervisor_->start(plan_.argv, plan_.environment, output.write_end));
  } else {
    for (std::int64_t rank = 0; rank < plan_.ranks; ++rank)
      programs_.push_back(
          supervisor_->start(plan_.argv, environment_of_rank(plan_, rank), output.write_end));
  }
  const bool is_torchrun = plan_.engine == LaunchEngine::torchrun;
  stall_watch_.emplace(host_, plan_, *supervisor_, rules_.stall_ms,
                       is_torchrun ? programs_ : std::vector<pid_t>());
  tick_ = WaitLimit(tick_ms);
}

void Attempt::wait() const {
  std::vector<pollfd> polled;
  const auto add = [&](int descriptor) {
    if (descriptor >= 0) polled.push_back({descriptor, POLLIN, 0});
  };
  for (const Stream& stream : streams_) add(stream.input.is_open() ? stream.input.get() : -1);
  add(pids_.get());
  add(supervisor_->descriptor());
  if (!is_interrupted()) add(interrupt_descriptor());
  std::vector<int> timeouts = {limit_.poll_timeout(), tick_.poll_timeout(),
                               is_stopping_ ? -1 : wait_for_others_.poll_timeout()};
  if (is_watched()) {
    add(busy_checker_->descriptor());
    add(stall_watch_->descriptor());
    timeouts.push_back(busy_checker_->next().poll_timeout());
    timeouts.push_back(stall_watch_->next().poll_timeout());
  }
  std::erase(timeouts, -1);
  const auto first = std::min_element(timeouts.begin(), timeouts.end());
  ::poll(polled.data(), polled.size(), first == timeouts.end() ? -1 : *first);
}

// A log error must not end the training: it continues without logs.
template <class Work>
void Attempt::with_logs(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (log_problem_.empty()) log_problem_ = error.message();
  }
}

// A rank with too much output must not delay signals and other ranks.
void Attempt::take(Stream& stream, int most_pieces) {
  std::array<char, piece_size> piece{};
  for (int i = 0; stream.input.is_open() && i < most_pieces; ++i) {
    const ssize_t got = ::read(stream.input.get(), piece.data(), piece.size());
    if (got > 0) {
      with_logs([&] {
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

void Attempt::finish(Stream& stream) {
  take(stream, std::numeric_limits<int>::max());
  with_logs([&] { stream.log.end(host_.clock->now(), hears(stream)); });
}

std::function<void(std::string_view)> Attempt::hears(const Stream& stream) {
  if (stream.rank < 0)
    return [this](std::string_view line) {
      note_failure_told(line);
      listener_.launcher_line(line);
    };
  return [this, rank = stream.rank](std::string_view line) {
    RankRecord& record = record_.ranks.at(static_cast<std::size_t>(rank));
    ++record.lines;
    if (!trimmed(line).empty())
      record.last_line = printable(std::string(line.substr(0, longest_last_line)));
    if (auto iteration = iteration_in(line)) {
      note_iteration(record, *iteration);
      record.iteration = std::move(*iteration);
    }
    if (auto backend = backend_in(line)) record.backend = std::move(*backend);
    if (stall_watch_) stall_watch_->heard(rank);
    listener_.line(rank, line);
  };
}

// Uses the counter before the total, if there is one; in a new epoch from its beginning.
void Attempt::note_iteration(RankRecord& rank, const std::string& iteration) {
  const std::vector<std::uint64_t> numbers = numbers_in(iteration);
  if (numbers.empty()) return;
  const auto now = host_.clock->steady();
  const std::size_t at = numbers.size() == 1 ? 0 : numbers.size() - 2;
  FirstIteration& first = first_iterations_[rank.rank];
  if (first.numbers.size() != numbers.size() || numbers[at] < first.numbers[at])
    first = {numbers, now};
  const double passed = std::chrono::duration<double>(now - first.at).count();
  if (numbers[at] > first.numbers[at] && passed > 0)
    rank.iterations_per_second = static_cast<double>(numbers[at] - first.numbers[at]) / passed;
}

void Attempt::measure() {
  const HostLoad load = load_->since_start();
  const auto least = record_.host.memory_available_bytes;
  record_.host = load;
  if (least && load.memory_available_bytes)
    record_.host.memory_available_bytes = std::min(*least, *load.memory_available_bytes);
  std::optional<double> pace;
  for (const RankRecord& rank : record_.ranks) {
    if (rank.iterations_per_second && (!pace || *rank.iterations_per_second < *pace))
      pace = rank.iterations_per_second;
  }
  record_.throughput = throughput_of(pace, record_.throughput.global_batch);
  if (flow_) record_.bandwidth_gbps = flow_->mean();
}

// Lines "RANK PID RANK-IN-WORLD".
void Attempt::take_pids() {
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = ::read(pids_.get(), piece.data(), piece.size());
    if (got <= 0) break;
    if (pids_text_.size() < most_pids_text)
      pids_text_.append(piece.data(), static_cast<std::size_t>(got));
  }
  const auto end = pids_text_.rfind('\n');
  if (end == std::string::npos) return;
  for (const std::string& line : split(pids_text_.substr(0, end), '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    std::array<std::int64_t, 3> numbers{};  // rank, process, rank in the world
    if (words.size() != numbers.size() || !std::all_of(words.begin(), words.end(), is_digits))
      continue;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      std::from_chars(words[i].data(), words[i].data() + words[i].size(), numbers.at(i));
    const auto [rank, pid, in_world] = numbers;
    if (rank < 0 || rank >= plan_.ranks || pid <= 0) continue;
    record_.ranks[static_cast<std::size_t>(rank)].pid = pid;
    record_.ranks[static_cast<std::size_t>(rank)].in_world = in_world;
  }
  pids_text_.erase(0, end + 1);
  const bool have_all = std::all_of(record_.ranks.begin(), record_.ranks.end(),
                                    [](const RankRecord& rank) { return rank.pid.has_value(); });
  if (have_all) rules_.changed(record_);
}

// In slurmstepd's words, in the launcher's log, so that a later analysis of the logs finds it too.
void Attempt::note_lack_of_memory() {
  const std::uint64_t kills = oom_kills_of_group(host_).value_or(0);
  if (kills <= oom_kills_before_) return;
  with_logs([&] {
    streams_.back().log.take(
        format("topsctl: Detected {} oom_kill event in the control group of this training\n",
               kills - oom_kills_before_),
        host_.clock->now(), [](std::string_view) {});
  });
}

void Attempt::look_for_signals() {
  try {
    throw_if_interrupted();
    return;
  } catch (const Error& error) {
    ended_by_ = error.code() == ErrorCode::interrupted ? SIGINT : SIGTERM;
  }
  clear_interrupt();
  end_all(is_stopping_ ? SIGKILL : SIGTERM);
}

// A stopped process handles no signal except SIGKILL until it is continued.
void Attempt::end_all(int number) {
  supervisor_->signal_all(number);
  supervisor_->signal_all(SIGCONT);
  if (!is_stopping_) limit_ = WaitLimit(grace_ms);
  is_stopping_ = true;
}

// After the group has ended, or its time after a signal is over, stops the remaining processes.
void Attempt::end_stragglers() {
  if (has_group_ended() && !is_ended_) {
    is_ended_ = true;
    patience_ = WaitLimit(timeout_ms);
    supervisor_->signal_all(SIGTERM);
    supervisor_->signal_all(SIGCONT);
    limit_ = WaitLimit(stragglers_ms);
  }
  if (!limit_.is_over()) return;
  supervisor_->signal_all(SIGKILL);
  limit_ = WaitLimit(kill_again_ms);
}

void Attempt::check_cards() {
  if (!is_watched()) return;
  const auto check = busy_checker_->step();
  if (!check) return;
  record_.busy_check = check;
  for (RankRecord& rank : record_.ranks) {
    const auto cards = check->cards.find(rank.in_world.value_or(rank.rank));
    if (cards != check->cards.end()) rank.cards = cards->second;
  }
  rules_.changed(record_);
  listener_.checked(*check, plan_.ranks);
}

void Attempt::look_for_stall() {
  if (!is_watched()) return;
  const auto stall = stall_watch_->step(record_.ranks);
  if (!stall) return;
  record_.stalls.push_back(*stall);
  rules_.changed(record_);
  listener_.stood_still(*stall, rules_.on_stall);
  if (rules_.on_stall == OnStall::report) return;
  is_ended_for_stall_ = true;
  end_all(SIGTERM);
}

void Attempt::tick() {
  if (!tick_.is_over()) return;
  tick_ = WaitLimit(tick_ms);
  measure();
  rules_.tick();
  listener_.progressed(record_);
}

void Attempt::note_failure_told(std::string_view line) {
  if (!is_for_several(plan_.place) || line.find(told_by_torchrun) == std::string_view::npos) return;
  if (++failures_told_ == plan_.engine_restarts + 1) wait_for_others_ = WaitLimit(others_ms);
}

// Its ranks are gone; torchrun waits up to five minutes for the torchruns of other hosts, which do
// not know that something has ended here. While it waits, it ignores other signals.
void Attempt::end_waiting_engine() {
  if (!wait_for_others_.is_over() || is_stopping_) return;
  if (first_failure_ == 0) first_failure_ = status_of_torchrun;
  end_all(SIGKILL);
}

void Attempt::note_first_failure() {
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    const auto status = supervisor_->status(programs_[i]);
    if (first_failure_ != 0 || !status || ended_by_) continue;
    first_failure_ = *status;
    if (*status != 0 && plan_.engine == LaunchEngine::topsctl && !is_stopping_)
      note_failed_rank(i, programs_[i], *status);
  }
}

// A killed rank writes nothing: logs it in torchrun's words, which torchrun does for its own ranks.
void Attempt::note_failed_rank(std::size_t which, pid_t pid, int status) {
  RankRecord& rank = record_.ranks[which];
  rank.status = status > signal_base ? signal_base - status : status;
  with_logs([&] {
    streams_.back().log.take(concat("[rank", rank.in_world.value_or(rank.rank),
                                    "]: failed (exitcode: ", *rank.status, ") (pid: ", pid, ")\n"),
                             host_.clock->now(), [](std::string_view) {});
  });
}

// A failed rank stops all others, as with torchrun.
bool Attempt::has_group_ended() const {
  bool has_all = true;
  for (const pid_t program : programs_) {
    const auto status = supervisor_->status(program);
    if (status && *status != 0) return true;
    has_all = has_all && status.has_value();
  }
  return has_all;
}

// The status of the first failed rank; those that were stopped because of it come later.
int Attempt::status_of_group() const {
  if (first_failure_ != 0) return first_failure_;
  if (ended_by_) return signal_base + *ended_by_;
  return is_ended_for_stall_ ? signal_base + SIGTERM : 0;
}

}  // namespace topsctl
