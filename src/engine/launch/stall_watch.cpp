// Samples processor times, and queries the cards only if there is no other activity.
#include "engine/launch/stall_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/launch/busy_check.hpp"
#include "engine/launch/iteration.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t shortest_look_ms = 1'000;
constexpr std::int64_t longest_look_ms = 30'000;
constexpr std::int64_t looks = 4;  // within the limit
// Percent of one processor, for all together: threads that only wake up to poll use less.
constexpr std::int64_t still_percent = 2;
constexpr std::size_t most_stack = 4096;

std::int64_t look_ms(std::int64_t limit_ms) {
  return std::clamp(limit_ms / looks, shortest_look_ms, longest_look_ms);
}

std::string text_of(const std::string& file) {
  try {
    return read_text_if_present(file, most_stack).value_or("");
  } catch (const Error&) {
    return {};
  }
}

// Only root may read the stack; all users may read the wait channel.
std::string kernel_stack_of(std::int64_t pid) {
  for (const char* file : {"stack", "wchan"}) {
    const std::string text = text_of(concat("/proc/", pid, "/", file));
    if (!trimmed(text).empty() && trimmed(text) != "0")
      return printable(trimmed(text), Lines::keep);
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> rank_behind(const std::vector<StillRank>& ranks) {
  const auto last = [&](const auto& key) -> std::optional<std::int64_t> {
    const auto first =
        std::min_element(ranks.begin(), ranks.end(),
                         [&](const StillRank& a, const StillRank& b) { return key(a) < key(b); });
    if (first == ranks.end()) return std::nullopt;
    const auto as_far = std::count_if(ranks.begin(), ranks.end(), [&](const StillRank& each) {
      return key(each) == key(*first);
    });
    return as_far == 1 ? std::optional(first->rank) : std::nullopt;
  };
  if (ranks.size() < 2) return std::nullopt;
  // A stopped process, or one that waits for a disk, blocks all others.
  const auto stuck = last([](const StillRank& rank) {
    return rank.state == "T" || rank.state == "t" || rank.state == "D" ? 0 : 1;
  });
  if (stuck) return stuck;
  const bool have_all_iterations = std::none_of(
      ranks.begin(), ranks.end(), [](const StillRank& rank) { return rank.iteration.empty(); });
  if (!have_all_iterations) return std::nullopt;
  return last([](const StillRank& rank) { return numbers_in(rank.iteration); });
}

StallWatch::StallWatch(const Host& host, const LaunchPlan& plan, Supervisor& supervisor,
                       std::int64_t limit_ms, std::vector<pid_t> launchers)
    : host_(host),
      limit_ms_(limit_ms),
      launchers_(std::move(launchers)),
      watch_(plan, supervisor),
      life_(host.clock->steady()),
      looked_(life_) {
  if (limit_ms_ > 0) next_ = WaitLimit(look_ms(limit_ms_));
}

void StallWatch::heard(std::int64_t rank) {
  note_life();
  spoke_[rank] = life_;
}

std::int64_t StallWatch::ms_since(std::chrono::steady_clock::time_point moment) const {
  using namespace std::chrono;
  return duration_cast<milliseconds>(host_.clock->steady() - moment).count();
}

bool StallWatch::has_used_time() {
  std::vector<pid_t> processes = descendants_of(::getpid());
  std::erase_if(processes, [&](pid_t process) {
    return std::find(launchers_.begin(), launchers_.end(), process) != launchers_.end();
  });
  std::map<pid_t, std::int64_t> times = processor_times_of(processes);
  std::int64_t used_ms = 0;
  for (const auto& [process, time] : times) {
    const auto before = times_.find(process);
    used_ms += time - (before == times_.end() ? 0 : before->second);
  }
  constexpr std::int64_t percent = 100;
  const std::int64_t passed_ms = std::max<std::int64_t>(ms_since(looked_), 1);
  times_ = std::move(times);
  looked_ = host_.clock->steady();
  return used_ms * percent > passed_ms * still_percent;
}

std::optional<Standstill> StallWatch::step(const std::vector<RankRecord>& ranks) {
  if (limit_ms_ == 0) return std::nullopt;
  if (watch_.is_running()) {
    const auto report = watch_.step();
    if (!report) return std::nullopt;
    next_ = WaitLimit(look_ms(limit_ms_));
    times_ = processor_times_of(descendants_of(::getpid()));
    looked_ = host_.clock->steady();
    const auto busy = busy_check_in(*report, descendants_of(::getpid())).cards_busy;
    if (busy.value_or(0) > 0) note_life();
    // A card in an unknown state may be busy: then wait twice as long.
    if (ms_since(life_) < (busy ? limit_ms_ : 2 * limit_ms_)) return std::nullopt;
    is_told_ = true;
    return standstill(ranks);
  }
  if (!next_.is_over()) return std::nullopt;
  next_ = WaitLimit(look_ms(limit_ms_));
  if (has_used_time()) note_life();
  if (ms_since(life_) < limit_ms_) {
    is_told_ = false;
  } else if (!is_told_) {
    next_ = WaitLimit();
    watch_.start();
  }
  return std::nullopt;
}

Standstill StallWatch::standstill(const std::vector<RankRecord>& ranks) const {
  Standstill stall;
  stall.at = timestamp(host_.clock->now());
  stall.after_ms = ms_since(life_);
  for (const RankRecord& rank : ranks) {
    const auto spoke = spoke_.find(rank.rank);
    StillRank still{rank.rank, rank.last_line, 0, rank.iteration, {}, {}};
    still.silent_ms = spoke == spoke_.end() ? stall.after_ms : ms_since(spoke->second);
    if (rank.pid) {
      still.state = state_of_process(static_cast<pid_t>(*rank.pid));
      still.kernel_stack = kernel_stack_of(*rank.pid);
    }
    stall.ranks.push_back(std::move(still));
  }
  stall.behind = rank_behind(stall.ranks);
  return stall;
}

}  // namespace topsctl
