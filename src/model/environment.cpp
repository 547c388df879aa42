// Derives a stack's environment and writes it as POSIX sh.
#include "topsctl/model/environment.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "topsctl/base/text.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace {

constexpr std::array<std::string_view, 6> loader_directories = {
    "/lib",           "/usr/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
    "/usr/local/lib", "/lib64"};

// The directory of the first payload file of that name.
std::optional<std::string> directory_of(const std::vector<std::string>& payload,
                                        const std::string& file) {
  for (const std::string& path : payload) {
    const auto slash = path.rfind('/');
    if (slash != std::string::npos && std::string_view(path).substr(slash + 1) == file) {
      return slash == 0 ? "/" : path.substr(0, slash);
    }
  }
  return std::nullopt;
}

std::string parent_of(const std::string& directory) {
  const auto slash = directory.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : directory.substr(0, slash);
}

SearchPath derive_path(const PathRule& rule, const std::vector<std::string>& payload,
                       std::vector<std::string>& left_out) {
  SearchPath path{rule.name, {}};
  for (const PathEntryRule& entry : rule.entries) {
    const bool fixed = !entry.if_present.empty();
    const auto directory = fixed ? entry.if_present : directory_of(payload, entry.directory_of);
    if (!directory) {
      left_out.push_back(concat(rule.name, " (", entry.directory_of, ")"));
      continue;
    }
    const bool searched_anyway = rule.name == "LD_LIBRARY_PATH" &&
                                 std::find(loader_directories.begin(), loader_directories.end(),
                                           *directory) != loader_directories.end();
    const bool known =
        std::any_of(path.entries.begin(), path.entries.end(),
                    [&](const SearchPathEntry& e) { return e.directory == *directory; });
    // A colon would end the entry; in practice no package installs into such a directory.
    if (!searched_anyway && !known && directory->find(':') == std::string::npos) {
      path.entries.push_back({*directory, fixed});
    }
  }
  return path;
}

std::string append_to_path(const std::string& name, const SearchPathEntry& entry) {
  const std::string word = shell_quoted(entry.directory);
  const std::string indent = entry.if_present ? "  " : "";
  std::string text;
  if (entry.if_present) text += concat("if [ -d ", word, " ]; then\n");
  text += concat(indent, "case \":${", name, "-}:\" in\n");
  text += concat(indent, "  *:", word, ":*) ;;\n");
  text += concat(indent, "  *) ", name, "=\"${", name, ":+$", name, ":}\"", word, " ;;\n");
  text += concat(indent, "esac\n", indent, "export ", name, "\n");
  if (entry.if_present) text += "fi\n";
  return text;
}

void put(Environment& environment, const EnvironmentVariable& variable) {
  std::erase(environment.left_out, variable.name);
  for (EnvironmentVariable& known : environment.variables) {
    if (known.name != variable.name) continue;
    known = variable;
    return;
  }
  environment.variables.push_back(variable);
}

void apply(const EnvironmentSettings& settings, const Stack& stack, Environment& environment) {
  environment.settings = settings;
  if (const ProfileRule* profile = stack.profile(settings.profile)) {
    for (const VariableRule& rule : profile->variables)
      put(environment, {rule.name, rule.value, rule.grade, rule.source});
  } else {
    environment.settings.profile.clear();
  }
  for (const auto& [name, value] : settings.set)
    put(environment, {name, value, Grade::chosen, "set by the operator"});
  for (const std::string& name : settings.unset) {
    std::erase(environment.left_out, name);
    std::erase_if(environment.variables,
                  [&](const auto& variable) { return variable.name == name; });
  }
}

}  // namespace

Environment derive_environment(const Stack& stack, const std::vector<std::string>& payload,
                               const EnvironmentSettings& settings) {
  Environment environment;
  environment.stack = title_of(stack);
  environment.file = stack.environment.file;
  for (const VariableRule& rule : stack.environment.variables) {
    std::string value = rule.value;
    if (!rule.prefix_of.empty()) {
      const auto directory = directory_of(payload, rule.prefix_of);
      if (!directory) {
        environment.left_out.push_back(rule.name);
        continue;
      }
      value = parent_of(*directory);
    }
    environment.variables.push_back({rule.name, value, rule.grade, rule.source});
  }
  for (const PathRule& rule : stack.environment.paths) {
    SearchPath path = derive_path(rule, payload, environment.left_out);
    if (!path.entries.empty()) environment.paths.push_back(std::move(path));
  }
  apply(settings, stack, environment);
  return environment;
}

std::string shell_file(const Environment& environment) {
  std::string text = concat("# Environment of ", environment.stack,
                            ", written by topsctl; a rollback of its install takes it back.\n",
                            settings_line(environment.settings));
  for (const EnvironmentVariable& variable : environment.variables) {
    text += concat("export ", variable.name, "=", shell_quoted(variable.value), "\n");
  }
  for (const SearchPath& path : environment.paths) {
    for (const SearchPathEntry& entry : path.entries) text += append_to_path(path.name, entry);
  }
  return text;
}

Json to_json(const Environment& environment) {
  Json variables = Json::array();
  for (const EnvironmentVariable& variable : environment.variables) {
    variables.push_back({{"name", variable.name},
                         {"value", variable.value},
                         {"grade", name(variable.grade)},
                         {"source", variable.source}});
  }
  Json paths = Json::array();
  for (const SearchPath& path : environment.paths) {
    Json entries = Json::array();
    for (const SearchPathEntry& entry : path.entries) {
      entries.push_back({{"directory", entry.directory}, {"if_present", entry.if_present}});
    }
    paths.push_back({{"name", path.name}, {"entries", std::move(entries)}});
  }
  return {{"stack", environment.stack},        {"file", environment.file},
          {"variables", std::move(variables)}, {"paths", std::move(paths)},
          {"left_out", environment.left_out},  {"settings", to_json(environment.settings)}};
}

}  // namespace topsctl
