// Reads memory.events, or memory.oom_control of the first version.
#include "topsctl/host/facts/control_group.hpp"

#include <charconv>
#include <string>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_text_of_group = std::uint64_t{1} << 16U;
constexpr std::string_view counter = "oom_kill ";

std::string text_of_group(const Host& host, const std::string& path) {
  try {
    return read_text_if_present(host.resolve(path), most_text_of_group).value_or("");
  } catch (const Error&) {
    return {};
  }
}

std::optional<std::uint64_t> count_in(const std::string& text) {
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(counter)) continue;
    std::uint64_t count = 0;
    const char* const end = line.data() + line.size();
    if (std::from_chars(line.data() + counter.size(), end, count).ec == std::errc()) return count;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> oom_kills_of_group(const Host& host) {
  std::vector<std::string> files;
  // "4:memory:/group" of the first version, "0::/group" of the second.
  for (const std::string& line : split(text_of_group(host, "/proc/self/cgroup"), '\n')) {
    const std::vector<std::string> parts = split(line, ':');
    if (parts.size() != 3) continue;
    if (parts[1] == "memory")
      files.push_back(concat("/sys/fs/cgroup/memory", parts[2], "/memory.oom_control"));
    if (parts[1].empty()) files.push_back(concat("/sys/fs/cgroup", parts[2], "/memory.events"));
  }
  files.emplace_back("/sys/fs/cgroup/memory.events");
  files.emplace_back("/sys/fs/cgroup/memory/memory.oom_control");
  for (const std::string& file : files) {
    if (const auto count = count_in(text_of_group(host, file))) return count;
  }
  return std::nullopt;
}

}  // namespace topsctl
