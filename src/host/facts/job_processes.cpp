// Reads /proc/PID: argv, environment, descriptors and times of each process.
#include "topsctl/host/facts/job_processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "host/facts/process_files.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_command = 400;
constexpr std::size_t most_descriptors = 4096;
constexpr std::int64_t ms_per_second = 1000;
// Variables that torchrun, topsctl, mpirun and Slurm set for each rank, and that scripts do not.
constexpr std::array of_launchers = {"TORCHELASTIC_RUN_ID", "LOCAL_WORLD_SIZE",
                                     "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};

std::optional<int> whole_number_of(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::map<std::string, std::string> variables_of(const fs::path& folder) {
  std::map<std::string, std::string> variables;
  for (const std::string& entry : split(process_text(folder / "environ"), '\0')) {
    const auto equals = entry.find('=');
    if (equals != std::string::npos) variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return variables;
}

std::optional<int> number_in(const std::map<std::string, std::string>& variables,
                             const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::nullopt : whole_number_of(found->second);
}

std::vector<std::int64_t> open_cards(const fs::path& folder, const std::string& prefix) {
  std::set<std::int64_t> cards;
  std::error_code failure;
  std::size_t seen = 0;
  for (fs::directory_iterator at(folder / "fd", failure);
       !failure && at != fs::directory_iterator() && seen < most_descriptors;
       at.increment(failure), ++seen) {
    const std::string target = process_link(at->path());
    if (prefix.empty() || !target.starts_with(prefix)) continue;
    if (const auto card = whole_number_of(target.substr(prefix.size()))) cards.insert(*card);
  }
  return {cards.begin(), cards.end()};
}

// State, parent and times.
void read_stat(const fs::path& folder, JobProcess& process) {
  constexpr std::size_t state = 0;
  constexpr std::size_t parent = 1;
  constexpr std::size_t user_time = 11;
  constexpr std::size_t system_time = 12;
  const std::vector<std::string> fields = process_status(folder);
  if (fields.size() <= system_time) return;
  process.state = fields[state];
  process.parent = whole_number_of(fields[parent]).value_or(0);
  std::int64_t ticks = 0;
  for (const std::size_t field : {user_time, system_time}) {
    std::int64_t value = 0;
    std::from_chars(fields[field].data(), fields[field].data() + fields[field].size(), value);
    ticks += value;
  }
  process.cpu_ms = ticks * ms_per_second / std::max(1L, ::sysconf(_SC_CLK_TCK));
}

std::optional<JobProcess> process_of(const fs::path& folder, const std::string& prefix,
                                     bool is_wanted) {
  JobProcess process;
  const auto variables = variables_of(folder);
  process.rank = number_in(variables, "RANK");
  process.local_rank = number_in(variables, "LOCAL_RANK");
  process.world_size = number_in(variables, "WORLD_SIZE");
  process.local_world_size = number_in(variables, "LOCAL_WORLD_SIZE");
  process.has_launcher =
      process.rank && std::any_of(of_launchers.begin(), of_launchers.end(),
                                  [&](const char* name) { return variables.contains(name); });
  process.cards = open_cards(folder, prefix);
  process.program = printable(process_link(folder / "exe"));
  const bool runs_python =
      fs::path(process.program).filename().string().find("python") != std::string::npos;
  if (!is_wanted && process.cards.empty() && !(process.rank && runs_python)) return std::nullopt;
  std::string command = process_text(folder / "cmdline");
  std::replace(command.begin(), command.end(), '\0', ' ');
  process.command = shortened(printable(trimmed(command)), longest_command);
  read_stat(folder, process);
  return process;
}

// A worker of a DataLoader has its rank's environment.
void leave_out_workers(std::vector<JobProcess>& processes) {
  const std::vector<JobProcess> all = processes;
  std::erase_if(processes, [&](const JobProcess& worker) {
    return worker.rank && std::any_of(all.begin(), all.end(), [&](const JobProcess& rank) {
             return rank.pid == worker.parent && rank.rank == worker.rank;
           });
  });
}

}  // namespace

std::vector<JobProcess> job_processes(const Host& host, const std::string& prefix,
                                      const std::vector<std::int64_t>& wanted) {
  std::vector<JobProcess> processes;
  std::error_code failure;
  for (fs::directory_iterator at(host.resolve("/proc"), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const auto pid = whole_number_of(at->path().filename().string());
    if (!pid) continue;
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), *pid) != wanted.end();
    auto process = process_of(at->path(), prefix, is_wanted);
    if (!process || process->state == "Z") continue;
    process->pid = *pid;
    processes.push_back(std::move(*process));
  }
  leave_out_workers(processes);
  std::sort(processes.begin(), processes.end(),
            [](const JobProcess& a, const JobProcess& b) { return a.pid < b.pid; });
  return processes;
}

}  // namespace topsctl
