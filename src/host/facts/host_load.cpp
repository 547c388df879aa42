// Reads /proc/stat and /proc/meminfo.
#include "topsctl/host/facts/host_load.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_of_stat = std::uint64_t{4} << 20U;  // bytes
constexpr std::int64_t bytes_per_kib = 1024;

std::uint64_t ticks_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::vector<std::string> stat_words(std::string_view line) {
  std::vector<std::string> words = split(line, ' ');
  std::erase(words, "");
  return words;
}

std::string proc_text(const Host& host, const char* file) {
  try {
    return read_text_if_present(host.resolve(file), most_of_stat).value_or("");
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

CpuTicks cpu_ticks_in(std::string_view stat) {
  // user nice system idle iowait irq softirq steal; guest time is included in user and nice.
  constexpr std::size_t idle = 4;
  constexpr std::size_t waiting = 5;
  constexpr std::size_t last = 8;
  CpuTicks ticks;
  for (const std::string& line : split(stat, '\n')) {
    if (!line.starts_with("cpu")) continue;
    const std::vector<std::string> words = stat_words(line);
    if (words.front() != "cpu") {
      ++ticks.cpus;
      continue;
    }
    for (std::size_t i = 1; i < words.size() && i <= last; ++i) {
      const std::uint64_t number = ticks_of(words[i]);
      ticks.all += number;
      if (i != idle && i != waiting) ticks.busy += number;
    }
  }
  return ticks;
}

void read_memory(std::string_view meminfo, HostLoad& load) {
  for (const std::string& line : split(meminfo, '\n')) {
    const std::vector<std::string> words = stat_words(line);
    if (words.size() < 2) continue;
    const auto bytes = static_cast<std::int64_t>(ticks_of(words[1])) * bytes_per_kib;
    if (words.front() == "MemTotal:") load.memory_total_bytes = bytes;
    if (words.front() == "MemAvailable:") load.memory_available_bytes = bytes;
  }
}

HostLoadMeter::HostLoadMeter(const Host& host) : host_(host), start_(ticks()), last_(start_) {}

CpuTicks HostLoadMeter::ticks() const {
  return cpu_ticks_in(proc_text(host_, "/proc/stat"));
}

HostLoad HostLoadMeter::between(const CpuTicks& from, const CpuTicks& to) const {
  constexpr double percent = 100;
  HostLoad load;
  load.cpus = to.cpus;
  if (to.all > from.all && to.busy >= from.busy)
    load.cpu_percent = std::min(percent, percent * static_cast<double>(to.busy - from.busy) /
                                             static_cast<double>(to.all - from.all));
  read_memory(proc_text(host_, "/proc/meminfo"), load);
  return load;
}

HostLoad HostLoadMeter::look() {
  const CpuTicks now = ticks();
  const HostLoad load = between(last_, now);
  last_ = now;
  return load;
}

HostLoad HostLoadMeter::since_start() const {
  return between(start_, ticks());
}

}  // namespace topsctl
