// Reads the program, the arguments and the parent of each process.
#include "topsctl/host/facts/daemons.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "host/facts/process_files.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_arguments = 16;

struct Candidate {
  DaemonProcess process;
  pid_t parent = 0;
};

std::optional<pid_t> parent_without_terminal(const fs::path& folder) {
  constexpr std::size_t parent = 1;
  constexpr std::size_t terminal = 4;
  const std::vector<std::string> fields = process_status(folder);
  if (fields.size() <= terminal || fields[0] == "Z" || fields[terminal] != "0") return std::nullopt;
  return static_cast<pid_t>(std::strtol(fields[parent].c_str(), nullptr, 10));
}

// Links are compared as text, because a file system whose server is gone would not answer.
std::string wanted_file(const fs::path& folder, const std::string& root,
                        const std::function<bool(const std::string&)>& is_wanted) {
  const std::string program = process_link(folder / "exe");
  if (program.starts_with(root) && is_wanted(program.substr(root.size())))
    return program.substr(root.size());
  std::vector<std::string> arguments = split(process_text(folder / "cmdline"), '\0');
  if (arguments.size() > most_arguments) arguments.resize(most_arguments);
  const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const std::string& each) {
    return each.starts_with('/') && is_wanted(each);
  });
  return found == arguments.end() ? std::string() : *found;
}

}  // namespace

std::vector<DaemonProcess> daemons_of(const Host& host,
                                      const std::function<bool(const std::string&)>& is_wanted) {
  const std::string real_root = fs::canonical(host.root).string();
  const std::string root = real_root == "/" ? "" : real_root;
  const fs::path proc = "/proc";
  std::map<pid_t, Candidate> candidates;
  std::error_code failure;
  for (fs::directory_iterator at(proc, failure); !failure && at != fs::directory_iterator();
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (!is_digits(name)) continue;
    const auto pid = static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10));
    if (pid <= 1 || pid == ::getpid() || process_link(at->path() / "root") != real_root) continue;
    const auto parent = parent_without_terminal(at->path());
    if (!parent) continue;
    const std::string file = wanted_file(at->path(), root, is_wanted);
    if (!file.empty()) candidates.emplace(pid, Candidate{{pid, file}, *parent});
  }
  // The reaper of orphans is not always process 1: in a chroot or a container it has another root
  // directory.
  const auto is_daemon = [&](const Candidate& candidate) {
    return candidate.parent <= 1 || candidates.contains(candidate.parent) ||
           process_link(proc / std::to_string(candidate.parent) / "root") != real_root;
  };
  std::vector<DaemonProcess> found;
  for (const auto& [pid, candidate] : candidates) {
    if (is_daemon(candidate)) found.push_back(candidate.process);
  }
  return found;
}

}  // namespace topsctl
