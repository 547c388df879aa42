// One thread per host, and further threads that stop remaining parts.
#include "topsctl/engine/cluster/host_group.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/target_pool.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr std::chrono::seconds last_words_time(10);  // for other parts to fail by themselves
constexpr std::chrono::seconds between_stops(2);
constexpr int most_stops = 10;                      // if the end of the part is not awaited
constexpr std::int64_t group_patience_ms = 60'000;  // with a connection that was lost
constexpr std::int64_t stop_patience_ms = 10'000;
constexpr std::int64_t most_of_stop_ms = 60'000;  // a host gives its ranks 30 s
constexpr std::chrono::seconds time_to_end(60);   // for a part whose host reports that it was
                                                  // stopped
constexpr int unclear_status = 1;

// Any exception of `work`, as an Error.
std::optional<Error> error_of_call(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return Error(ErrorCode::internal, printable(error.what()),
                 "this is a bug in topsctl: please report it");
  }
}

class Group {
 public:
  explicit Group(const GroupWork& work) : work_(work), given_up_(work.members.size()) {
    end_.members.resize(work.members.size());
  }

  GroupEnd run() {
    run_parts();
    note_signal();
    stop_parts([this](const MemberEnd& member) {
      return member.is_lost || (end_.ended_by && !member.has_ended);
    });
    return std::move(end_);
  }

 private:
  void run_parts() {
    TargetPoolOptions at_once;
    at_once.jobs = static_cast<unsigned>(work_.members.size());
    for_each_target(work_.members.size(), at_once, [this](std::size_t i) { part(i); });
  }

  RemoteRun remote_run(std::size_t index, RemoteCommand command, RemoteLine on_line) const {
    const GroupMember& member = work_.members[index];
    command.run_as = RunAs::login;
    return {.remote = member.remote,
            .target = member.target,
            .program = work_.program,
            .command = std::move(command),
            .clock = work_.clock,
            .on_line = std::move(on_line)};
  }

  void say(std::size_t index, std::string_view line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_.on_line(index, line);
  }

  void part(std::size_t index) {
    MemberEnd member;
    member.error = error_of_call([&] { run_part(index, member); });
    if (is_interrupted() && member.error && !member.status) return;  // its part continues
    member.has_ended = true;
    // A part with status 0 and an error contradicts itself.
    if (member.error && member.status == 0) member.status = unclear_status;
    const bool has_failed = member.status != 0;
    if (note_end(index, std::move(member)) && has_failed) {
      stop_parts([](const MemberEnd& other) { return !other.has_ended; });
    }
  }

  void run_part(std::size_t index, MemberEnd& member) {
    if (is_ending_)
      throw Error(ErrorCode::step_failed, "another host failed before this one started");
    RemoteCommand command;
    command.words = work_.members[index].words;
    command.job = work_.members[index].job;
    command.directory = work_.directory;
    command.timeout_ms = group_patience_ms;
    try {
      RemoteRun run =
          remote_run(index, std::move(command), [&](std::string_view line) { say(index, line); });
      run.is_given_up = [this, index] { return given_up_[index].load(); };
      const RemoteReport report = run_remote(run);
      member.status = report.status;
      if (report.error) throw *report.error;
    } catch (const RunLost&) {
      member.is_lost = true;
      throw;
    }
  }

  // Whether it is the first that failed.
  bool note_end(std::size_t index, MemberEnd member) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool has_failed = member.status != 0;
    end_.members[index] = std::move(member);
    ended_.notify_all();
    if (!has_failed || end_.first_failed) return false;
    end_.first_failed = index;
    is_ending_ = true;
    return true;
  }

  // Whether it has ended within this time.
  bool wait_for_end(std::size_t index, std::chrono::seconds time) {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + time;
    const auto has_ended = [&] { return end_.members[index].has_ended; };
    while (!has_ended() && !is_interrupted() && std::chrono::steady_clock::now() < until)
      ended_.wait_for(lock, std::chrono::milliseconds(100));
    return has_ended();
  }

  // Stops the parts that are selected by their present state.
  void stop_parts(const std::function<bool(const MemberEnd&)>& is_meant) {
    std::vector<std::jthread> threads;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = 0; i < work_.members.size(); ++i) {
      if (!is_meant(end_.members[i])) continue;
      const bool is_awaited = !end_.ended_by && !end_.members[i].is_lost;
      threads.emplace_back([this, i, is_awaited] {
        if (is_awaited)
          stop_awaited(i);
        else
          stop_unawaited(i);
      });
    }
  }

  std::optional<Error> stop_once(std::size_t index) {
    return error_of_call([&] {
      RemoteCommand command;
      command.words = {"runs", "stop", work_.members[index].log_folder};
      command.timeout_ms = stop_patience_ms;
      command.most_ms = most_of_stop_ms;
      const RemoteReport report =
          run_remote(remote_run(index, std::move(command), [](std::string_view) {}));
      if (report.error) throw *report.error;
    });
  }

  // Its thread waits for it. A part that was just started may not be known there yet.
  void stop_awaited(std::size_t index) {
    if (wait_for_end(index, last_words_time)) return;
    say(index, "telling it to stop");
    std::optional<std::chrono::steady_clock::time_point> stopped_at;
    while (!is_interrupted()) {
      const auto failure = stop_once(index);
      if (wait_for_end(index, between_stops)) return;
      const auto now = std::chrono::steady_clock::now();
      if (!failure && !stopped_at) stopped_at = now;
      // The part reports that it was stopped, but it continues.
      if (now - stopped_at.value_or(now) > time_to_end) given_up_[index] = true;
    }
  }

  // Its end is no longer awaited: it was lost, or a signal has come.
  void stop_unawaited(std::size_t index) {
    std::optional<Error> failure;
    for (int i = 0; i < most_stops && !is_interrupted(); ++i) {
      failure = stop_once(index);
      if (!failure || failure->code() == ErrorCode::unreachable) break;
      if (wait_for_end(index, between_stops)) return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    MemberEnd& member = end_.members[index];
    if (failure && !member.error) member.error = failure;
  }

  void note_signal() {
    const bool have_all = std::all_of(end_.members.begin(), end_.members.end(),
                                      [](const MemberEnd& member) { return member.has_ended; });
    try {
      throw_if_interrupted();
      return;
    } catch (const Error& error) {
      if (!have_all) end_.ended_by = error.code() == ErrorCode::interrupted ? SIGINT : SIGTERM;
    }
    clear_interrupt();
  }

  const GroupWork& work_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::atomic<bool> is_ending_ = false;
  std::vector<std::atomic<bool>> given_up_;  // reported as stopped, but continued
  GroupEnd end_;
};

}  // namespace

GroupEnd run_group(const GroupWork& work) {
  return Group(work).run();
}

}  // namespace topsctl
