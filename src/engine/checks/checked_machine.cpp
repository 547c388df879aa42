// Queries on the host and the stack for checks.
#include "engine/checks/checked_machine.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

std::int64_t CheckedMachine::cards() const {
  return options.cards > 0 ? options.cards : stack.accelerator.cards;
}

std::map<std::string, std::string> CheckedMachine::variables() const {
  std::map<std::string, std::string> variables;
  for (const EnvironmentVariable& variable : environment.variables)
    variables[variable.name] = variable.value;
  for (const SearchPath& path : environment.paths) {
    if (path.name == "PATH") continue;
    std::vector<std::string> folders;
    for (const SearchPathEntry& entry : path.entries) folders.push_back(entry.directory);
    variables[path.name] = joined(folders, ":");
  }
  return variables;
}

const InstalledDeb* CheckedMachine::deb_of(const std::string& component) const {
  const InstalledDeb* found = nullptr;
  for (const std::string& name : stack.component(component)->names) {
    const auto deb = facts.debs.find(name);
    if (deb != facts.debs.end() && (found == nullptr || is_installed(deb->second.status)))
      found = &deb->second;
  }
  return found;
}

std::string CheckedMachine::packages() const {
  std::vector<std::string> names;
  for (const Component& component : stack.components) names.push_back(component.names.front());
  return joined(names, ", ");
}

std::string CheckedMachine::card_tools() const {
  for (const CheckRule& rule : stack.checks) {
    if (rule.kind == CheckKind::management_tool) return format("`{}` and `dmesg`", rule.file);
  }
  return "`dmesg`";
}

}  // namespace topsctl
