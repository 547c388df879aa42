// Combines the records of a training's parts.
#include "topsctl/engine/cluster/group_record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/cluster/host_group.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/diagnosis/log_files.hpp"
#include "topsctl/engine/launch/launcher.hpp"
#include "topsctl/engine/launch/rank_log.hpp"
#include "topsctl/engine/remote/fetched_logs.hpp"
#include "topsctl/engine/remote/target_pool.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/supervisor.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_logs = std::uint64_t{16} << 30U;  // bytes, of one host
constexpr std::uint64_t most_record = std::uint64_t{16} << 20U;
constexpr const char* only_attempt = "attempt_0";  // torchrun itself starts ranks again
constexpr const char* standstill_id = "ranks-stalled";
constexpr int unknown_status = 1;

bool is_compressed(const fs::path& file) {
  constexpr std::array<std::string_view, 5> marks = {"\x1f\x8b", "BZh",
                                                     "\xfd"
                                                     "7zXZ",
                                                     "\x28\xb5\x2f\xfd", "\x1f\x9d"};
  std::array<char, 8> head{};
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  const ssize_t got = opened.is_open() ? ::read(opened.get(), head.data(), head.size()) : 0;
  const std::string_view begin(head.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return std::any_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return begin.starts_with(mark); });
}

class GroupLaunch {
 public:
  GroupLaunch(const Host& host, const GroupRequest& wanted, const CarriedProgram& program,
              Language language)
      : host_(host), wanted_(wanted), program_(program), language_(language) {}

  LaunchRecord run(const std::function<void(const std::string&, std::string_view)>& on_line) {
    begin();
    GroupWork work{.members = {},
                   .program = program_,
                   .clock = *host_.clock,
                   .directory = wanted_.directory,
                   .on_line = [&](std::size_t member, std::string_view line) {
                     on_line(wanted_.hosts[member].answer.target, printable(line));
                   }};
    for (std::size_t i = 0; i < wanted_.hosts.size(); ++i) {
      const GroupHost& each = wanted_.hosts[i];
      work.members.push_back({each.remote,
                              each.target,
                              {"launch", "--detached-run", record_.hosts[i].run},
                              to_line(to_json(job_of(i))),
                              record_.hosts[i].log_folder});
    }
    end_ = run_group(work);
    fetch();
    note_ends();
    judge();
    record_.ended_at = timestamp(host_.clock->now());
    record_.attempts.back().ended_at = record_.ended_at;
    write_record();
    return std::move(record_);
  }

 private:
  void begin() {
    require_new_log_folder(wanted_.log_folder);
    make_directories(wanted_.log_folder, 0700);
    record_.run = wanted_.run;
    record_.request = wanted_.request;
    record_.log_folder = wanted_.log_folder.string();
    record_.plan = plan_of_first();
    record_.directory = wanted_.directory;
    record_.digests = wanted_.hosts.front().answer.digests;
    record_.versions = wanted_.hosts.front().answer.versions;
    record_.pid = ::getpid();
    record_.process_start = start_of_process(::getpid());
    record_.started_at = timestamp(host_.clock->now());
    AttemptRecord& attempt = record_.attempts.emplace_back();
    attempt.started_at = record_.started_at;
    attempt.master_port = wanted_.master_port;
    for (std::size_t i = 0; i < wanted_.hosts.size(); ++i) {
      const HostAnswer& answer = wanted_.hosts[i].answer;
      HostRecord host;
      host.target = answer.target;
      host.name = answer.name;
      host.address = wanted_.place.hosts[i].address;
      host.run = concat(wanted_.run, "-", i);
      host.log_folder = (fs::path(wanted_.directory) / "topsctl-logs" / host.run).string();
      record_.hosts.push_back(std::move(host));
    }
    write_record();
  }

  // Like the first host's plan, except for its environment and log directory.
  LaunchPlan plan_of_first() const {
    const HostAnswer& answer = wanted_.hosts.front().answer;
    LaunchWishes wishes;
    wishes.words = wanted_.request.words;
    wishes.python = answer.python;
    wishes.engine = answer.engine == name(LaunchEngine::torchrun) ? LaunchEngine::torchrun
                                                                  : LaunchEngine::topsctl;
    wishes.ranks = answer.ranks;
    wishes.master_port = wanted_.master_port;
    wishes.log_folder = wanted_.log_folder;
    wishes.own_program = "topsctl";
    wishes.place = wanted_.place;
    wishes.engine_restarts = wanted_.request.restart.most;
    return plan_launch(wishes);
  }

  LaunchRequest job_of(std::size_t index) const {
    LaunchRequest part = wanted_.request;
    part.place = wanted_.place;
    part.place->node = static_cast<std::int64_t>(index);
    part.python = wanted_.hosts[index].answer.python;
    part.ranks = wanted_.hosts[index].answer.ranks;
    part.level = no_preflight;
    part.log_folder = record_.hosts[index].log_folder;
    part.master_port = std::stoll(wanted_.master_port);
    return part;
  }

  void note_problem(const std::string& what) {
    record_.log_problem =
        record_.log_problem.empty() ? what : concat(record_.log_problem, "; ", what);
  }

  fs::path folder_of(std::size_t index) const {
    return wanted_.log_folder / concat("host_", index);
  }

  // From all, also lost ones, because some may be reachable again.
  void fetch() {
    TargetPoolOptions at_once;
    at_once.jobs = static_cast<unsigned>(wanted_.hosts.size());
    const auto results = for_each_target(wanted_.hosts.size(), at_once, [&](std::size_t i) {
      const GroupHost& each = wanted_.hosts[i];
      fetch_logs(each.remote, each.target, program_, record_.hosts[i].log_folder, folder_of(i),
                 most_logs);
    });
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].status == TargetStatus::done) continue;
      note_problem(results[i].error
                       ? format("the logs of {} are missing: {}", record_.hosts[i].target,
                                results[i].error->message())
                       : format("the logs of {} are missing", record_.hosts[i].target));
    }
  }

  void note_ends() {
    for (std::size_t i = 0; i < wanted_.hosts.size(); ++i) {
      HostRecord& host = record_.hosts[i];
      const MemberEnd& end = end_.members[i];
      host.status = end.status;
      if (end.error) host.problem = end.error->message();
      std::error_code failure;
      if (!fs::exists(folder_of(i) / record_name, failure)) {
        if (host.status == 0) note_unproved(i);
        continue;
      }
      host.logs = folder_of(i).string();
      take_record(i, host);
    }
    AttemptRecord& attempt = record_.attempts.back();
    std::sort(attempt.ranks.begin(), attempt.ranks.end(),
              [](const RankRecord& one, const RankRecord& other) { return one.rank < other.rank; });
    record_.ended_by = end_.ended_by;
    attempt.status = record_.status = status_of_all();
  }

  // Data from a remote host are not trusted.
  void take_record(std::size_t index, HostRecord& host) {
    try {
      const std::string file = (folder_of(index) / record_name).string();
      const RecordSummary summary =
          record_summary_in(read_text(file, most_record), in_quotes(file));
      if (!host.status) host.status = summary.status;
      if (host.status == 0 && (summary.status != 0 || summary.ended_by)) {
        note_problem(format("{} says that its part succeeded, and its record that it failed",
                            record_.hosts[index].target));
        host.status = summary.status.value_or(0) != 0 ? *summary.status : unknown_status;
        if (!end_.first_failed) end_.first_failed = index;
      }
      if (host.status == 0 &&
          std::cmp_not_equal(summary.ranks.size(), wanted_.hosts[index].answer.ranks))
        note_unproved(index);
      const bool stood_still = summary.first_cause == standstill_id;
      if (stood_still && !stood_still_) stood_still_ = index;
      if (stood_still || summary.ended_by) were_ended_.insert(folder_of(index).string());
      for (const RecordSummary::Rank& each : summary.ranks) take_rank(index, each);
    } catch (const Error& error) {
      note_problem(error.message());
      if (host.status == 0) note_unproved(index);
    }
  }

  void note_unproved(std::size_t index) {
    note_problem(format("{} says that its part succeeded, and its record does not show it",
                        record_.hosts[index].target));
  }

  // Its log is named by its global rank.
  void take_rank(std::size_t index, const RecordSummary::Rank& told) {
    RankRecord rank;
    rank.host = record_.hosts[index].target;
    const auto first = static_cast<std::int64_t>(index) * wanted_.hosts.front().answer.ranks;
    const std::int64_t ranks = wanted_.hosts[index].answer.ranks;
    const std::int64_t in_world = told.in_world.value_or(first + told.rank);
    // torchrun renumbers the hosts if it can restart ranks.
    const bool is_own = wanted_.request.restart.most > 0
                            ? in_world < ranks * static_cast<std::int64_t>(wanted_.hosts.size())
                            : in_world == first + told.rank;
    if (told.rank >= ranks || !is_own || !taken_.insert(in_world).second) {
      if (foreign_.insert(index).second)
        note_problem(format("{} names ranks that are not its own", rank.host));
      return;
    }
    rank.rank = in_world;
    rank.in_world = told.in_world;
    rank.lines = told.lines;
    if (told.pid && *told.pid > 0) rank.pid = told.pid;
    rank.last_line = printable(told.last_line);
    rank.iteration = printable(told.iteration);
    const fs::path folder = folder_of(index) / only_attempt;
    const fs::path log = folder / concat("rank_", rank.rank, ".log");
    std::error_code failure;
    if (told.rank != rank.rank && !fs::exists(log, failure))
      fs::rename(folder / concat("rank_", told.rank, ".log"), log, failure);
    rank.log = log.string();
    record_.attempts.back().ranks.push_back(std::move(rank));
  }

  int status_of_all() const {
    if (end_.ended_by && !end_.first_failed) return signal_base + *end_.ended_by;
    if (!end_.first_failed) return 0;
    const HostRecord& first = record_.hosts[*end_.first_failed];
    return first.status && *first.status != 0 ? *first.status : unknown_status;
  }

  // In words that the catalogue knows, so that a later analysis of the logs finds them too.
  void note_what_logs_lack() {
    RankLog log(wanted_.log_folder / "hosts.log");
    const auto note = [&](const std::string& line) {
      log.take(concat(line, "\n"), host_.clock->now(), [](std::string_view) {});
    };
    for (std::size_t i = 0; i < end_.members.size(); ++i) {
      if (!end_.members[i].is_lost) continue;
      note(format("topsctl: host {} of this training was lost: {}", record_.hosts[i].target,
                  record_.hosts[i].problem));
    }
    if (stood_still_)
      note(format("topsctl: the ranks of {} stood still and were ended",
                  record_.hosts[*stood_still_].target));
  }

  // Without torchrun's messages about the signal with which topsctl stopped it.
  std::vector<JobLog> telling_logs() const {
    std::vector<JobLog> logs = find_log_files({wanted_.log_folder.string()});
    // topsctl compresses no log of a part: one that is could hold any number of bytes.
    std::erase_if(logs, [](const JobLog& log) { return is_compressed(log.file); });
    std::erase_if(logs, [&](const JobLog& log) {
      return log.file.filename() == "launcher.log" &&
             were_ended_.contains(log.file.parent_path().parent_path().string());
    });
    return logs;
  }

  void judge() {
    AttemptRecord& attempt = record_.attempts.back();
    if (*record_.status == 0) {
      for (RankRecord& rank : attempt.ranks) rank.status = 0;
      return;
    }
    if (!end_.first_failed) return;
    try {
      note_what_logs_lack();
      const DiagnosisCatalogue catalogue = known_diagnoses(wanted_.backend);
      const LogMatcher matcher(catalogue);
      const LogTimeline story = read_logs(matcher, telling_logs(), {});
      attempt.judgement = judge_logs(catalogue, story, *record_.status, language_);
    } catch (const Error& error) {
      note_problem(error.message());
      return;
    }
    for (const RankState& state : attempt.judgement->ranks) {
      for (RankRecord& rank : attempt.ranks) {
        if (rank.rank == state.rank) rank.status = state.status;
      }
    }
  }

  void write_record() {
    try {
      write_durably(wanted_.log_folder / record_name, to_text(to_json(record_)), 0600);
    } catch (const Error& error) {
      note_problem(error.message());
    }
  }

  const Host& host_;
  const GroupRequest& wanted_;
  const CarriedProgram& program_;
  const Language language_;
  LaunchRecord record_;
  GroupEnd end_;
  std::optional<std::size_t> stood_still_;  // the host that ended its part for it
  std::set<std::int64_t> taken_;            // ranks that a host has named
  std::set<std::size_t> foreign_;           // hosts that reported other hosts' ranks
  std::set<std::string> were_ended_;        // directories of the parts that topsctl stopped
};

}  // namespace

LaunchRecord launch_on_hosts(
    const Host& host, const GroupRequest& wanted, const CarriedProgram& program, Language language,
    const std::function<void(const std::string&, std::string_view)>& on_line) {
  return GroupLaunch(host, wanted, program, language).run(on_line);
}

}  // namespace topsctl
