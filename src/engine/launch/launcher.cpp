// Runs the attempts, and keeps the state between them.
#include "topsctl/engine/launch/launcher.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/launch/attempt.hpp"
#include "engine/launch/checkpoints.hpp"
#include "engine/launch/restart.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/diagnosis/log_files.hpp"
#include "topsctl/engine/launch/launch_host.hpp"
#include "topsctl/engine/launch/shim.hpp"
#include "topsctl/host/facts/host_name.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"
#include "topsctl/host/system/exec_program.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/supervisor.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* stalled_id = "ranks-stalled";
constexpr int ticks_between_looks = 5;             // at the checkpoints
constexpr std::chrono::seconds settling_time(60);  // the kernel writes within half of it

class Launch {
 public:
  Launch(const Host& host, const LaunchWishes& wishes, LaunchRecord begun, Language language,
         RankListener& listener)
      : host_(host),
        wishes_(wishes),
        listener_(listener),
        language_(language),
        record_(std::move(begun)),
        catalogue_(known_diagnoses(wishes.backend)) {
    record_.log_folder = wishes.log_folder.string();
    record_.started_at = timestamp(host.clock->now());
    record_.pid = ::getpid();
    record_.process_start = start_of_process(::getpid());
    make_folder();
    const fs::path checkpoints = record_.request.restart.checkpoints;
    if (!checkpoints.empty() && !fs::exists(checkpoints)) make_directories(checkpoints, 0755);
  }

  LaunchRecord run() {
    while (goes_on()) {
      const std::int64_t pause_ms =
          restart_pause_ms(record_.request.restart, record_.attempts.size());
      listener_.restarts(record_.attempts.back(), pause_ms);
      if (!pause(pause_ms)) break;
    }
    record_.status = record_.attempts.back().status;
    record_.ended_at = timestamp(host_.clock->now());
    write_record();
    return std::move(record_);
  }

 private:
  Error cannot_make(int reason) const {
    const Error error =
        system_error(reason, "create directory", record_.log_folder, ErrorCode::host_unfit);
    return {error.code(), error.message(), "use a directory that you can write to: --log-dir DIR"};
  }

  void make_folder() {
    const fs::path top = record_.log_folder;
    require_new_log_folder(top);
    std::error_code failure;
    fs::create_directories(top.parent_path(), failure);
    if (failure) throw cannot_make(failure.value());
    if (::mkdir(top.c_str(), 0700) != 0) throw cannot_make(errno);
    if (!wishes_.files.empty()) write_shim(top / shim_folder, wishes_.files, 0700, 0600);
  }

  // Starts an attempt; returns whether another one follows. If it cannot be started, the previous
  // one was the last.
  bool goes_on() {
    try {
      return attempt();
    } catch (const Error& error) {
      if (record_.attempts.size() < 2) throw;
      record_.attempts.pop_back();
      record_.attempts.back().not_restarted = error.message();
      return false;
    }
  }

  // Whether another one follows.
  bool attempt() {
    const std::size_t number = record_.attempts.size();
    record_.attempts.emplace_back();
    LaunchWishes wishes = wishes_;
    wishes.log_folder = wishes_.log_folder / concat("attempt_", number);
    if (wishes.master_port.empty()) wishes.master_port = free_port();
    resume(wishes);
    const std::string resumed_from = record_.attempts.back().resumed_from;
    const auto unfinished = record_.attempts.back().unfinished_checkpoints;
    const auto keep_up = [&](const AttemptRecord& now) {
      record_.attempts.back() = now;
      record_.attempts.back().resumed_from = resumed_from;
      record_.attempts.back().unfinished_checkpoints = unfinished;
    };
    AttemptRules rules;
    rules.stall_ms = stall_ms(record_.request);
    rules.on_stall = *on_stall_named(record_.request.on_stall);
    rules.changed = [&](const AttemptRecord& now) {
      keep_up(now);
      write_record();
    };
    rules.tick = [this] { look_at_checkpoints(); };
    const LaunchPlan plan = plan_launch(wishes);
    if (number == 0) record_.plan = plan;
    Attempt attempt(host_, plan, rules, listener_);
    rules.changed(attempt.record());
    keep_up(attempt.run());
    record_.ended_by = attempt.ended_by();
    if (record_.log_problem.empty()) record_.log_problem = attempt.log_problem();
    AttemptRecord& done = record_.attempts.back();
    judge(done, plan.log_folder, attempt.was_ended_for_stall());
    const bool goes_on = does_another_follow(done, attempt.was_ended_for_stall());
    write_record();
    return goes_on;
  }

  // From the second attempt on, resumes from the newest checkpoint.
  void resume(LaunchWishes& wishes) {
    const RestartRules& rules = record_.request.restart;
    AttemptRecord& begun = record_.attempts.back();
    if (record_.attempts.size() < 2 || rules.checkpoints.empty()) return;
    const CheckpointFolder folder = checkpoints_in(rules.checkpoints);
    begun.unfinished_checkpoints = folder.unfinished;
    const auto newest = newest_since(folder, began_ns());
    if (!newest || rules.resume.empty()) return;
    begun.resumed_from = newest->path;
    for (std::string& word : resume_words(rules, begun.resumed_from))
      wishes.words.push_back(std::move(word));
  }

  void look_at_checkpoints() {
    const RestartRules& rules = record_.request.restart;
    if (rules.keep == 0 || rules.checkpoints.empty() || ++ticks_ % ticks_between_looks != 0) return;
    using namespace std::chrono;
    const auto settled = host_.clock->now() - settling_time;
    remove_old_ones(duration_cast<nanoseconds>(settled.time_since_epoch()).count());
  }

  void remove_old_ones(std::int64_t settled_ns) {
    const RestartRules& rules = record_.request.restart;
    for (std::string& path :
         remove_older_checkpoints(checkpoints_in(rules.checkpoints),
                                  static_cast<std::size_t>(rules.keep), began_ns(), settled_ns))
      record_.removed_checkpoints.push_back(std::move(path));
  }

  // All processes have ended, so waiting for the disk delays none.
  void settle_checkpoints() {
    const RestartRules& rules = record_.request.restart;
    if (rules.keep == 0) return;
    try {
      sync_file_system(rules.checkpoints);
    } catch (const Error&) {
      return;
    }
    remove_old_ones(std::numeric_limits<std::int64_t>::max());
  }

  // Files of this run were written after this time.
  std::int64_t began_ns() const {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(time_of(record_.started_at).time_since_epoch()).count();
  }

  void judge(AttemptRecord& done, const fs::path& logs, bool was_stalled) {
    settle_checkpoints();
    if (*done.status == 0) {
      for (RankRecord& rank : done.ranks) rank.status = 0;
      return;
    }
    if (record_.ended_by) return;
    if (was_stalled) {
      done.judgement = stalled(done.stalls.back());
      return;
    }
    try {
      const LogMatcher matcher(catalogue_);
      const LogTimeline story = read_logs(matcher, find_log_files({logs.string()}), {});
      done.judgement = judge_logs(catalogue_, story, *done.status, language_);
    } catch (const Error& error) {
      record_.log_problem = error.message();
      return;
    }
    for (const RankState& state : done.judgement->ranks) {
      if (state.status && state.rank >= 0 &&
          static_cast<std::size_t>(state.rank) < done.ranks.size())
        done.ranks[static_cast<std::size_t>(state.rank)].status = state.status;
    }
  }

  Judgement stalled(const Standstill& stall) const {
    Judgement judgement;
    judgement.verdict = JobVerdict::problems;
    judgement.has_failed = true;
    const Diagnosis* diagnosis = catalogue_.find(stalled_id);
    if (diagnosis == nullptr) return judgement;
    Judged judged;
    judged.finding = finding_in(*diagnosis, language_);
    judged.finding.subject = record_.run;
    for (const StillRank& rank : stall.ranks) {
      if (stall.behind && *stall.behind != rank.rank) continue;
      judged.finding.evidence.push_back({concat("rank ", rank.rank), 0, rank.last_line});
    }
    if (stall.behind) judged.rank = static_cast<int>(*stall.behind);
    judgement.first_cause = stalled_id;
    judgement.diagnoses.push_back(std::move(judged));
    return judgement;
  }

  bool does_another_follow(AttemptRecord& done, bool was_stalled) {
    if (*done.status == 0 || record_.ended_by) return false;
    AttemptEnd end;
    end.cause = done.judgement ? done.judgement->first_cause : "";
    const Diagnosis* diagnosis = catalogue_.find(end.cause);
    end.does_restart_help = diagnosis != nullptr && diagnosis->restart_helps;
    end.place = place_of(done);
    ends_.push_back(end);
    done.not_restarted = was_stalled && record_.request.on_stall == name(OnStall::stop)
                             ? std::string("it stalled, and --on-stall is stop")
                             : objection_to_restart(record_.request.restart, ends_);
    return done.not_restarted.empty();
  }

  // The first rank's iteration, or the newest checkpoint.
  std::string place_of(const AttemptRecord& done) const {
    const auto told = std::find_if(done.ranks.begin(), done.ranks.end(),
                                   [](const RankRecord& rank) { return !rank.iteration.empty(); });
    if (told != done.ranks.end()) return told->iteration;
    if (record_.request.restart.checkpoints.empty()) return {};
    const auto newest =
        newest_since(checkpoints_in(record_.request.restart.checkpoints), began_ns());
    return newest ? newest->path : std::string();
  }

  // Whether it was not interrupted.
  bool pause(std::int64_t pause_ms) {
    try {
      pause_for(std::chrono::milliseconds(pause_ms));
      return true;
    } catch (const Error& error) {
      record_.ended_by = error.code() == ErrorCode::interrupted ? SIGINT : SIGTERM;
      record_.attempts.back().not_restarted = "interrupted by a signal";
      clear_interrupt();
      return false;
    }
  }

  void write_record() {
    try {
      write_durably(wishes_.log_folder / record_name, to_text(to_json(record_)), 0600);
    } catch (const Error& error) {
      if (record_.log_problem.empty()) record_.log_problem = error.message();
    }
  }

  const Host& host_;
  const LaunchWishes& wishes_;
  RankListener& listener_;
  const Language language_;
  LaunchRecord record_;
  const DiagnosisCatalogue catalogue_;
  std::vector<AttemptEnd> ends_;
  int ticks_ = 0;
};

}  // namespace

void require_new_log_folder(const fs::path& folder) {
  std::error_code failure;
  try {
    // A user who can replace a directory above could make root write anywhere.
    if (is_root_user()) require_own_way(folder);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
    throw Error(error.code(), error.message(),
                "use a log directory that only root can change: --log-dir /var/log/NAME");
  }
  if (!fs::exists(fs::symlink_status(folder, failure))) return;
  throw Error(ErrorCode::bad_input, format("{} already exists", in_quotes(folder.string())),
              "use another log directory: --log-dir DIR");
}

LaunchRecord launch(const Host& host, const LaunchWishes& wishes, LaunchRecord begun,
                    Language language, RankListener& listener) {
  return Launch(host, wishes, std::move(begun), language, listener).run();
}

void become_rank(const fs::path& log_folder, const std::vector<std::string>& words,
                 const std::map<std::string, std::string>& environment) {
  const auto rank = environment.find("LOCAL_RANK");
  if (rank == environment.end() || !is_digits(rank->second))
    throw Error(ErrorCode::usage, "LOCAL_RANK is not a number",
                "use `topsctl launch -- SCRIPT` to start ranks");
  die_with_parent();
  const auto open_pipe = [](const fs::path& pipe) {
    Descriptor output(::open(pipe.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!output.is_open()) throw system_error(errno, "open", pipe.string());
    return output;
  };
  const fs::path pids = pipe_of_pids(log_folder);
  const auto in_world = environment.find("RANK");
  const std::string number = in_world == environment.end() || !is_digits(in_world->second)
                                 ? rank->second
                                 : in_world->second;
  write_all(open_pipe(pids), concat(rank->second, " ", ::getpid(), " ", number, "\n"), pids);
  const fs::path pipe = pipe_of_rank(log_folder, rank->second);
  const Descriptor output = open_pipe(pipe);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (::dup2(output.get(), stream) < 0) throw system_error(errno, "write", pipe.string());
  }
  std::map<std::string, std::string> own = environment;
  const auto addresses = own.find(addresses_variable);
  if (addresses != own.end()) {
    const auto master = own.find("MASTER_ADDR");
    if (master != own.end()) master->second = address_in(addresses->second, master->second);
  }
  const std::string workers = tensorflow_config(own, name_of_this_host());
  if (!workers.empty()) own.emplace("TF_CONFIG", workers);
  own.erase(addresses_variable);
  load_shim_in(own);
  exec_program(words, own);
}

}  // namespace topsctl
