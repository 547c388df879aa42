// Gathers host facts from dpkg, os-release, the interpreters and the files that a plan may replace.
#include "topsctl/host/facts/facts.hpp"

#include <algorithm>
#include <filesystem>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/alternatives.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/debian/dpkg_side_runs.hpp"
#include "topsctl/host/facts/card_nodes.hpp"
#include "topsctl/host/python/interpreters.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace {

std::vector<std::string> names_of(const Stack& stack, PackageKind kind) {
  std::vector<std::string> names;
  for (const Component& component : stack.components) {
    if (component.kind == kind) {
      names.insert(names.end(), component.names.begin(), component.names.end());
    }
  }
  return names;
}

// Does not suggest the interpreter that was just rejected.
std::string hint_for_named(const std::string& named, std::vector<std::string> executables) {
  std::erase(executables, named);
  if (executables.empty()) return "give the path of an interpreter of this host";
  return format("give the path of an interpreter of this host, or omit --python to try {}",
                joined(executables, ", "));
}

std::string distrusted_part(const Host& host, const std::string& interpreter) {
  const std::string path = found_in_path(host, interpreter);
  std::error_code failure;
  return std::filesystem::exists(host.resolve(path), failure) ? open_part_of(host, path) : "";
}

std::vector<PythonFacts> read_pythons(const Host& host, const Stack& stack,
                                      const std::string& named,
                                      const std::vector<std::string>& others,
                                      std::vector<std::string>& distrusted) {
  std::vector<std::string> distributions = names_of(stack, PackageKind::wheel);
  distributions.insert(distributions.end(), stack.python.unchanged.begin(),
                       stack.python.unchanged.end());
  for (const Component& component : stack.components) {
    if (!component.beside.empty()) distributions.push_back(component.beside);
  }
  const bool has_wheels = !distributions.empty();
  distributions.insert(distributions.end(), others.begin(), others.end());
  // The functions of libraries are called by an interpreter.
  const bool calls = std::any_of(stack.checks.begin(), stack.checks.end(), [](const auto& rule) {
    return rule.kind == CheckKind::library_call;
  });
  if (!has_wheels && !calls && stack.backend.module.empty() && named.empty()) return {};
  const std::vector<std::string> candidates =
      named.empty() ? stack.python.executables : std::vector<std::string>{named};
  std::vector<PythonFacts> pythons;
  std::vector<std::string> seen;
  for (const std::string& candidate : candidates) {
    // Several names often lead to one program; each program is run once.
    const std::string program = candidate.find('/') == std::string::npos
                                    ? candidate
                                    : canonical_in_root(host.root, candidate, LastLink::follow);
    if (named.empty() && std::find(seen.begin(), seen.end(), program) != seen.end()) continue;
    seen.push_back(program);
    if (const std::string open = named.empty() ? distrusted_part(host, candidate) : std::string();
        !open.empty()) {
      distrusted.push_back(described(candidate, open));
      continue;
    }
    auto facts = read_python(host, candidate, distributions);
    if (facts) {
      facts->executable = candidate;
      pythons.push_back(std::move(*facts));
    }
  }
  if (!named.empty() && pythons.empty()) {
    throw Error(ErrorCode::host_unfit,
                format("Python interpreter {} does not work", in_quotes(named)),
                hint_for_named(named, stack.python.executables));
  }
  return pythons;
}

}  // namespace

bool is_trusted_interpreter(const Host& host, const std::string& interpreter) {
  return distrusted_part(host, interpreter).empty();
}

std::string os_name(const Host& host) {
  auto text = read_text_if_present(host.resolve("/etc/os-release"), 1U << 16U);
  if (!text) text = read_text_if_present(host.resolve("/usr/lib/os-release"), 1U << 16U);
  std::string id = "unknown";
  std::string version;
  for (const std::string& line : split(text.value_or(""), '\n')) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    std::string value = line.substr(equals + 1);
    std::erase(value, '"');
    if (line.starts_with("ID=")) id = value;
    if (line.starts_with("VERSION_ID=")) version = value;
  }
  return printable(version.empty() ? id : concat(id, " ", version));
}

std::map<std::string, InstalledDeb> debs_of_stack(const Host& host, const Stack& stack,
                                                  const std::vector<TargetPackage>& packages,
                                                  const std::vector<std::string>& others) {
  std::vector<std::string> names = names_of(stack, PackageKind::deb);
  names.insert(names.end(), others.begin(), others.end());
  return read_debs(host, packages, names);
}

HostFacts read_host_facts(const Host& host, const DpkgDatabase& database, const Stack& stack,
                          const std::string& python, const std::vector<std::string>& other_debs,
                          const std::vector<std::string>& other_wheels) {
  HostFacts facts;
  facts.is_root = is_root_user();
  if (!facts.is_root && host.root != "/") {
    throw Error(ErrorCode::permission,
                format("only root can read {}", in_quotes(host.root.string())),
                "run topsctl as root, for example with sudo");
  }
  facts.os = os_name(host);
  facts.architecture = "amd64";
  facts.dpkg_version = dpkg_version(host);
  facts.debs = debs_of_stack(host, stack, database.packages, other_debs);
  for (const Diversion& diversion : database.diversions)
    facts.diversions[diversion.from] = diversion.to;
  facts.alternative_links = alternative_links(host);
  facts.trigger_paths = trigger_paths(host);
  facts.has_dpkg_overrides = has_dpkg_overrides(host);
  facts.unfinished = unfinished_packages(database.packages);
  facts.is_python_named = !python.empty();
  facts.pythons = read_pythons(host, stack, python, other_wheels, facts.distrusted_pythons);
  const std::string& file = stack.environment.file;
  if (auto text = read_text_if_present(host.resolve(file)))
    facts.files.emplace(file, std::move(*text));
  const AcceleratorRules& accelerator = stack.accelerator;
  facts.card_nodes = card_nodes(host, accelerator.device_node, accelerator.cards).there;
  return facts;
}

}  // namespace topsctl
