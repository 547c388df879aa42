// Takes search paths from the payloads of debs, variables from the files beside the packages.
#include "engine/planning/draft_environment.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::array<std::string_view, 8> searched_by_loader = {"/usr/lib",
                                                                "/usr/lib64",
                                                                "/lib",
                                                                "/lib64",
                                                                "/usr/local/lib",
                                                                "/usr/lib/x86_64-linux-gnu",
                                                                "/lib/x86_64-linux-gnu",
                                                                "/usr/local/lib/x86_64-linux-gnu"};
constexpr std::array<std::string_view, 7> searched_by_shell = {
    "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/games"};
constexpr std::size_t most_named = 6;

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

void DraftNotes::add(const std::string& place, const std::string& evidence,
                     const std::string& decide) {
  Json entry = {{"place", place}, {"evidence", printable(evidence)}};
  if (!decide.empty()) entry["decide"] = decide;
  list.push_back(std::move(entry));
}

std::string named(const std::set<std::string>& names) {
  std::vector<std::string> some;
  for (const std::string& name : names) {
    if (some.size() < most_named) some.push_back(name);
  }
  if (names.size() > most_named) some.push_back(format("{} more", names.size() - most_named));
  return joined(some, ", ");
}

Json drafted_environment(const DraftPackages& packages, const std::string& name,
                         DraftNotes& notes) {
  std::map<std::string, std::string> libraries;  // a file that only the directory has; or none
  std::map<std::string, std::string> programs;
  std::set<std::string> configurations;
  Json variables = Json::array();
  const auto directories = packages.directories_by_file();
  const auto add_file = [&](std::map<std::string, std::string>& found, const std::string& directory,
                            const std::string& file) {
    std::string& anchor = found[directory];
    const auto places = directories.find(file);
    if (anchor.empty() && places != directories.end() && places->second.size() == 1) anchor = file;
  };
  for (const DraftPackage& each : packages) {
    if (each.package->kind != PackageKind::deb) continue;
    for (const DraftLibrary& library : each.libraries) {
      if (!is_among(searched_by_loader, library.directory))
        add_file(libraries, library.directory, library.file);
    }
    for (const DraftProgram& program : each.programs) {
      if (!is_among(searched_by_shell, program.directory))
        add_file(programs, program.directory, program.file);
    }
    if (!each.package->files) continue;
    for (const PayloadEntry& entry : *each.package->files) {
      if (entry.path.starts_with("/etc/ld.so.conf.d/") && entry.path.ends_with(".conf"))
        configurations.insert(entry.path);
    }
  }
  Json paths = Json::array();
  const auto add = [&](const char* variable, const std::map<std::string, std::string>& found,
                       const std::string& why) {
    if (found.empty()) return;
    Json entries = Json::array();
    std::set<std::string> directories;
    for (const auto& [directory, file] : found) {
      if (file.empty()) {
        entries.push_back({{"if_present", directory}});
      } else {
        entries.push_back({{"directory_of", file}});
      }
      directories.insert(directory);
    }
    notes.add(concat("/environment/paths/", paths.size()),
              format("{}: {}", why, named(directories)));
    paths.push_back({{"name", variable}, {"entries", std::move(entries)}});
  };
  add("LD_LIBRARY_PATH", libraries, format("libraries outside of the loader's directories"));
  if (!libraries.empty() && !configurations.empty())
    notes.add("/environment/paths/0", format("a package brings {}", named(configurations)),
              format("whether the loader finds the libraries without LD_LIBRARY_PATH"));
  add("PATH", programs, format("programs outside of the usual directories"));
  // The vendor's own files beside the packages: the value that most of them set.
  std::map<std::string, std::pair<std::string, std::uint64_t>> most;
  for (const auto& [setting, times] : packages.settings) {
    auto& known = most[setting.name];
    if (times > known.second) known = {setting.value, times};
  }
  for (const auto& [variable, value] : most) {
    // Which cards a process sees is the matter of its job.
    if (value.first.empty() || variable.ends_with("_VISIBLE_DEVICES") ||
        value.first.find_first_of("$`") != std::string::npos ||
        printable(value.first) != value.first)
      continue;
    notes.add(concat("/environment/variables/", variables.size()),
              format("the bundle's files set {} {} times", variable, value.second),
              format("whether every process needs it"));
    variables.push_back({{"name", variable},
                         {"value", value.first},
                         {"grade", "attested"},
                         {"source", format("{} places in the bundle's files", value.second)}});
  }
  return {{"file", concat("/etc/profile.d/", name, ".sh")},
          {"variables", std::move(variables)},
          {"paths", std::move(paths)}};
}

}  // namespace topsctl
