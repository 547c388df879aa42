// Reads /proc/meminfo and the limits of control groups, versions 1 and 2.
#include "host/system/memory.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

using Read = std::function<std::optional<std::string>(const std::string& path)>;

std::optional<std::uint64_t> number_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const std::string_view digits = trimmed(*text);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;  // "max": no limit
  return number;
}

std::uint64_t available(const Read& read) {
  for (const std::string& line : split(read("/proc/meminfo").value_or(""), '\n')) {
    constexpr std::string_view key = "MemAvailable:";
    if (line.starts_with(key)) return number_of(line.substr(key.size())).value_or(0) * 1024;
  }
  return 0;
}

// The memory left by one group and those above it; in a container its own group is at the top.
void limit_by(const Read& read, const std::string& top, std::string group, const char* most,
              const char* used, std::uint64_t& spare) {
  for (;;) {
    const std::string folder = concat(top, group == "/" ? "" : group, "/");
    const auto limit = number_of(read(folder + most));
    if (limit) {
      const std::uint64_t taken = number_of(read(folder + used)).value_or(0);
      spare = std::min(spare, *limit > taken ? *limit - taken : 0);
    }
    if (group.empty() || group == "/") return;
    group.erase(group.rfind('/'));
  }
}

}  // namespace

std::uint64_t spare_memory(const Read& read) {
  std::uint64_t spare = available(read);
  for (const std::string& line : split(read("/proc/self/cgroup").value_or(""), '\n')) {
    const std::vector<std::string> fields = split(line, ':');
    if (fields.size() != 3 || !fields[2].starts_with('/')) continue;
    if (fields[1].empty()) {
      limit_by(read, "/sys/fs/cgroup", fields[2], "memory.max", "memory.current", spare);
    } else if (fields[1] == "memory") {
      limit_by(read, "/sys/fs/cgroup/memory", fields[2], "memory.limit_in_bytes",
               "memory.usage_in_bytes", spare);
    }
  }
  return spare;
}

std::uint64_t spare_memory() {
  return spare_memory([](const std::string& path) -> std::optional<std::string> {
    try {
      return read_text_if_present(path);
    } catch (const Error&) {
      return std::nullopt;
    }
  });
}

}  // namespace topsctl
