// Makes the values of a job's template, and writes its files.
#include "topsctl/engine/cluster/cluster_job.hpp"

#include <sys/stat.h>

#include <cctype>
#include <system_error>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/shim.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_job_name = 40;  // a DNS label has 63; schedulers add to it
constexpr mode_t script_mode = 0700;          // it may hold secrets
constexpr mode_t file_mode = 0600;

std::vector<TemplateWords> items(const std::vector<std::string>& texts) {
  std::vector<TemplateWords> members;
  for (const std::string& text : texts) members.push_back({{"item", text}});
  return members;
}

// "--from={checkpoint}" as "--from="$checkpoint"": each word quoted but for the variable.
std::string resume_words(const std::string& resume) {
  constexpr std::string_view place = "{checkpoint}";
  std::vector<std::string> quoted;
  for (const std::string& word : split(resume, ' ')) {
    if (word.empty()) continue;
    std::string text;
    std::string_view rest = word;
    for (auto found = rest.find(place); found != std::string_view::npos; found = rest.find(place)) {
      if (found > 0) text += shell_quoted(rest.substr(0, found));
      text += "\"$checkpoint\"";
      rest.remove_prefix(found + place.size());
    }
    if (!rest.empty()) text += shell_quoted(rest);
    quoted.push_back(std::move(text));
  }
  return joined(quoted, " ");
}

std::string shell_line(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quoted(word));
  return joined(quoted, " ");
}

void add_variable(const std::string& name, const std::string& value, TemplateValues& values) {
  values.lists["variables"].push_back(
      {{"key", name}, {"value", value}, {"assignment", concat(name, "=", value)}});
}

void add_variables(const Environment& environment, TemplateValues& values) {
  values.lists["paths"];
  values.lists["variables"];
  for (const EnvironmentVariable& each : environment.variables)
    add_variable(each.name, each.value, values);
  for (const SearchPath& path : environment.paths) {
    if (path.name == "PATH") continue;  // of the nodes
    std::vector<std::string> folders;
    for (const SearchPathEntry& entry : path.entries) folders.push_back(entry.directory);
    if (!folders.empty())
      values.lists["paths"].push_back({{"key", path.name}, {"value", joined(folders, ":")}});
  }
}

void add_volumes(const std::vector<JobVolume>& volumes, TemplateValues& values) {
  for (const char* list : {"volumes", "host_paths", "nfs_exports", "volume_claims"})
    values.lists[list];
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const JobVolume& each = volumes[i];
    const TemplateWords words = {{"number", concat(i + 1)},
                                 {"server", each.server},
                                 {"source", each.source},
                                 {"path", each.path}};
    values.lists["volumes"].push_back(words);
    values
        .lists[each.kind == JobVolume::Kind::host_path ? "host_paths"
               : each.kind == JobVolume::Kind::nfs     ? "nfs_exports"
                                                       : "volume_claims"]
        .push_back(words);
  }
}

}  // namespace

JobVolume job_volume_in(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  JobVolume volume;
  if (parts.front() == "nfs" && parts.size() == 4) {
    volume = {JobVolume::Kind::nfs, parts[1], parts[2], parts[3]};
  } else if (parts.front() == "hostPath" && parts.size() == 3) {
    volume = {JobVolume::Kind::host_path, {}, parts[1], parts[2]};
  } else if (parts.front() == "pvc" && parts.size() == 3) {
    volume = {JobVolume::Kind::claim, {}, parts[1], parts[2]};
  }
  if (volume.source.empty() || !volume.path.starts_with('/') ||
      (volume.kind == JobVolume::Kind::nfs && volume.server.empty()))
    throw Error(ErrorCode::usage, format("invalid volume: {}", in_quotes(text)),
                "use hostPath:/data:/data, nfs:SERVER:/export:/data or pvc:CLAIM:/data");
  return volume;
}

std::string job_name_of(const std::vector<std::string>& words) {
  std::string name;
  const std::string script = words.empty() ? "" : fs::path(words.front()).stem().string();
  for (const char c : lower_case(script)) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128U;
    if (is_plain)
      name.push_back(c);
    else if (!name.empty() && name.back() != '-')
      name.push_back('-');
  }
  name = name.substr(0, longest_job_name);
  while (name.ends_with('-')) name.pop_back();
  if (name.empty()) return "training";
  return std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? concat("job-", name) : name;
}

TemplateValues job_values(const ClusterWishes& wishes, const RankLayout& layout, const Stack& stack,
                          const Environment& environment) {
  std::vector<std::string> command;
  if (!wishes.shim.empty()) command = words_that_load_shim(wishes.shim);
  command.push_back(wishes.python);
  command.insert(command.end(), wishes.words.begin(), wishes.words.end());
  TemplateValues values;
  values.words = {{"name", wishes.name},
                  {"label", job_name_of({wishes.name})},
                  {"folder", wishes.emit_folder.string()},
                  {"nodes", concat(layout.wishes.hosts)},
                  {"ranks", concat(layout.wishes.ranks_each)},
                  {"world", concat(layout.ranks)},
                  {"host_list", joined(wishes.hosts, ",")},
                  {"master", wishes.master.empty() && !wishes.hosts.empty() ? wishes.hosts.front()
                                                                            : wishes.master},
                  {"port", concat(wishes.port)},
                  {"directory", wishes.directory.string()},
                  {"logs", wishes.log_folder.string()},
                  {"python", wishes.python},
                  {"command", shell_line(command)},
                  {"checkpoints", wishes.checkpoints},
                  {"resume", wishes.checkpoints.empty() ? "" : resume_words(wishes.resume)},
                  {"environment_file", stack.environment.file},
                  {"image", wishes.image},
                  {"gres", stack.accelerator.gres},
                  {"resource", stack.accelerator.resource}};
  values.lists["hosts"] = items(wishes.hosts);
  values.lists["command_words"] = items(command);
  values.lists["engine_arguments"] = items(wishes.engine_arguments);
  add_variables(environment, values);
  if (!wishes.shim.empty()) {
    for (const auto& [name, value] : shim_environment(wishes.shim, stack))
      add_variable(name, value, values);
  }
  add_volumes(wishes.volumes, values);
  return values;
}

void emit(const std::vector<JobFile>& files, const std::vector<ShimFile>& shim,
          const fs::path& folder) {
  std::error_code failure;
  if (fs::exists(fs::symlink_status(folder, failure)))
    throw Error(ErrorCode::bad_input, format("{} already exists", in_quotes(folder.string())),
                "give a new directory: --emit DIR");
  make_directories(folder, script_mode);
  try {
    for (const JobFile& file : files)
      write_plainly(folder / file.name, file.text, file.is_executable ? script_mode : file_mode);
    if (!shim.empty()) write_shim(folder / shim_folder, shim, script_mode, file_mode);
  } catch (const Error&) {
    fs::remove_all(folder, failure);
    throw;
  }
}

}  // namespace topsctl
