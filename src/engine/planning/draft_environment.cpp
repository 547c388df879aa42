// Takes search paths from the payloads of debs, variables from the files beside the packages.
#include "engine/planning/draft_environment.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "topsctl/base/text.hpp"
#include "topsctl/host/content/settings_scan.hpp"
#include "topsctl/host/system/pattern.hpp"

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
constexpr std::size_t most_matches = 32;

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Which cards a process sees is the matter of its job.
bool is_plain_setting(std::string_view variable, const std::string& value) {
  return !value.empty() && !variable.ends_with("_VISIBLE_DEVICES") &&
         value.find_first_of("$`") == std::string::npos && printable(value) == value;
}

// The first groups of all matches.
std::set<std::string> matches_in(const std::string& text, const Pattern& pattern) {
  std::set<std::string> found;
  for (auto at = pattern.find_group(text, 0); at && found.size() < most_matches;
       at = pattern.find_group(text, at->end))
    found.insert(printable(text.substr(at->begin, at->end - at->begin)));
  return found;
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
  const auto add_variable = [&](const std::string& variable, const std::string& value,
                                const std::string& evidence, const std::string& source) {
    notes.add(concat("/environment/variables/", variables.size()), evidence,
              format("whether every process needs it"));
    variables.push_back(
        {{"name", variable}, {"value", value}, {"grade", "attested"}, {"source", source}});
  };
  for (const auto& [variable, value] : most) {
    if (is_plain_setting(variable, value.first))
      add_variable(variable, value.first,
                   format("the bundle's files set {} {} times", variable, value.second),
                   format("{} places in the bundle's files", value.second));
  }
  for (const DraftPackage& each : packages) {
    for (const auto& [path, text] : each.texts) {
      if (!path.starts_with("/etc/profile.d/")) continue;
      std::map<Setting, std::uint64_t> settings;
      scan_settings(text, settings);
      for (const auto& [setting, times] : settings) {
        if (is_plain_setting(setting.name, setting.value) &&
            most.emplace(setting.name, std::pair(setting.value, times)).second)
          add_variable(
              setting.name, setting.value,
              format("{} of {} sets {} in login shells", path, each.package->name, setting.name),
              format("{} of {}", path, each.package->name));
      }
    }
  }
  return {{"file", concat("/etc/profile.d/", name, ".sh")},
          {"variables", std::move(variables)},
          {"paths", std::move(paths)}};
}

void note_texts(const DraftPackages& packages, bool has_cards, DraftNotes& notes) {
  static const Pattern node(R"re(KERNEL\s*==\s*"([^"]+)")re");
  static const Pattern directory(R"((?m)^libdir=(/\S+))");
  for (const DraftPackage& each : packages) {
    for (const auto& [path, text] : each.texts) {
      if (path.find("/udev/rules.d/") != std::string::npos) {
        const std::set<std::string> nodes = matches_in(text, node);
        if (!nodes.empty())
          notes.add(
              has_cards ? "/accelerator" : "",
              format("{} of {} names device nodes: {}", path, each.package->name, named(nodes)),
              format("whether they are the nodes of the cards"));
      } else if (path.ends_with(".pc")) {
        const std::set<std::string> found = matches_in(text, directory);
        if (!found.empty())
          notes.add("/environment/paths", format("{} of {} says where its libraries are: {}", path,
                                                 each.package->name, named(found)));
      }
    }
  }
}

}  // namespace topsctl
