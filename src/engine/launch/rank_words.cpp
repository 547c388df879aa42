// Reads the last bytes of logs.
#include "topsctl/engine/launch/rank_words.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "engine/launch/iteration.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

namespace {

constexpr off_t most_of_log = 8192;  // bytes of its end
constexpr std::size_t longest_words = 400;

std::string end_of(const std::string& file) {
  const Descriptor log(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!log.is_open() || ::fstat(log.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string bytes(static_cast<std::size_t>(std::min(most_of_log, status.st_size)), '\0');
  const ssize_t got = ::pread(log.get(), bytes.data(), bytes.size(),
                              status.st_size - static_cast<off_t>(bytes.size()));
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

// Behind "2026-11-25T10:00:01.123Z ".
std::string_view without_time(std::string_view line) {
  const auto blank = line.find(' ');
  return blank != std::string_view::npos && blank > 0 && line[blank - 1] == 'Z'
             ? line.substr(blank + 1)
             : line;
}

}  // namespace

LastWords last_words_of(const std::string& log) {
  LastWords words;
  std::vector<std::string> lines = split(end_of(log), '\n');
  std::reverse(lines.begin(), lines.end());
  for (const std::string& whole : lines) {
    const std::string_view line = without_time(whole);
    if (trimmed(line).empty()) continue;
    if (words.line.empty()) words.line = printable(line.substr(0, longest_words));
    if (auto iteration = iteration_in(line)) {
      words.iteration = std::move(*iteration);
      break;
    }
  }
  return words;
}

void RankWords::add_to(CardWatch& watch, const std::vector<RecordSummary::Rank>& ranks,
                       std::chrono::steady_clock::time_point now) {
  for (WatchedRank& watched : watch.ranks) {
    const auto of_run = std::find_if(ranks.begin(), ranks.end(), [&](const auto& each) {
      return each.rank == watched.rank && each.pid == watched.pid;
    });
    if (of_run == ranks.end()) continue;
    const LastWords words = last_words_of(of_run->log);
    watched.last_line = words.line;
    watched.iteration = words.iteration;
    const std::vector<std::uint64_t> numbers = numbers_in(words.iteration);
    if (numbers.empty()) continue;
    Pace& pace = paces_[watched.pid];
    // The counter before the total, if there is one, because it grows within an epoch.
    const std::size_t at = numbers.size() == 1 ? 0 : numbers.size() - 2;
    if (pace.numbers.size() == numbers.size() && numbers != pace.numbers) {
      const double passed = std::chrono::duration<double>(now - pace.seen).count();
      if (numbers[at] > pace.numbers[at] && passed > 0)
        pace.per_second = static_cast<double>(numbers[at] - pace.numbers[at]) / passed;
    }
    if (numbers != pace.numbers) {
      pace.numbers = numbers;
      pace.seen = now;
    }
    watched.iterations_per_second = pace.per_second;
  }
}

}  // namespace topsctl
