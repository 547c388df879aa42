// Chooses the packages of a bundle for a stack and a host; pure.
#include "topsctl/engine/planning/selection.hpp"

#include <algorithm>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/host/python/wheel_tags.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace {

// The newest deb, or every wheel, of one component.
std::vector<const Package*> candidates(const Stack& stack, const Inventory& inventory,
                                       const Component& component) {
  std::vector<const Package*> found;
  for (const Package& package : inventory.packages) {
    const bool usable = package.verdict != Verdict::archived && package.verdict != Verdict::broken;
    if (usable && matching_component(stack, package) == &component) found.push_back(&package);
  }
  if (component.kind == PackageKind::deb && found.size() > 1) {
    found = {*std::max_element(found.begin(), found.end(), [](const Package* a, const Package* b) {
      return compare_debian_versions(a->version, b->version) < 0;
    })};
  }
  return found;
}

void refuse_broken(const Inventory& inventory, const Component& component) {
  for (const Package& package : inventory.packages) {
    if (package.verdict == Verdict::broken && is_named_like(component, package)) {
      throw damaged_file(package.problem);
    }
  }
}

[[noreturn]] void refuse_missing(const Stack& stack, const Component& component) {
  throw Error(ErrorCode::bad_bundle,
              format("the bundle has no package for component {} ({} {})", in_quotes(component.id),
                     joined(component.names, " or "), wanted_version(stack, component)),
              "add the package to the bundle, or choose other components with --components");
}

const Package* wheel_for(const std::vector<const Package*>& wheels, const std::string& minor) {
  const auto found = std::find_if(wheels.begin(), wheels.end(), [&](const Package* wheel) {
    if (!wheel->python) return false;
    const std::optional<std::string>& only = wheel->python->minor;
    return only ? *only == minor : is_for_python(wheel->python->tags, minor);
  });
  return found == wheels.end() ? nullptr : *found;
}

struct WheelChoice {
  const Component* component = nullptr;
  std::vector<const Package*> wheels;
};

[[noreturn]] void refuse_pythons(const std::vector<WheelChoice>& choices, const HostFacts& facts) {
  std::set<std::string> offered;
  for (const WheelChoice& choice : choices) {
    for (const Package* wheel : choice.wheels) offered.insert(wheel->python->minor.value_or("any"));
  }
  std::vector<std::string> present;
  for (const PythonFacts& python : facts.pythons) {
    present.push_back(concat(python.minor, " (", python.executable, ")"));
  }
  for (const std::string& executable : facts.distrusted_pythons) {
    present.push_back(format("{}, which is writable by users other than root and was not run",
                             printable(executable)));
  }
  throw Error(ErrorCode::host_unfit,
              format("{}: no interpreter matches the wheels: the bundle has them for Python {}, "
                     "the host has {}",
                     no_interpreter_finding, joined({offered.begin(), offered.end()}, ", "),
                     present.empty() ? "none" : joined(present, ", ")),
              facts.is_python_named
                  ? "omit --python to try the stack's own interpreters, install one of these "
                    "Python versions, or exclude the wheel with --components"
                  : "install one of these Python versions, specify an interpreter with --python, "
                    "or exclude the wheel with --components");
}

const PythonFacts* fitting_python(const std::vector<WheelChoice>& choices, const HostFacts& facts) {
  for (const PythonFacts& python : facts.pythons) {
    const bool fits = std::all_of(choices.begin(), choices.end(), [&](const WheelChoice& choice) {
      return wheel_for(choice.wheels, python.minor) != nullptr;
    });
    if (fits) return &python;
  }
  refuse_pythons(choices, facts);
}

}  // namespace

void identify(const Stack& stack, Inventory& inventory) {
  for (Package& package : inventory.packages) {
    const Component* component = matching_component(stack, package);
    if (component == nullptr || package.verdict == Verdict::broken) continue;
    package.component = component->id;
    package.stack = stack.name;
    if (package.verdict == Verdict::unknown) package.verdict = Verdict::component;
  }
  for (const Component& component : stack.components) {
    for (const Package* chosen : candidates(stack, inventory, component)) {
      inventory.packages[static_cast<std::size_t>(chosen - inventory.packages.data())].chosen =
          true;
    }
  }
}

std::vector<std::string> selected_components(const Stack& stack, const std::string& list) {
  std::vector<std::string> known = stack.component_ids();
  if (list.empty()) return known;
  std::set<std::string> wanted;
  for (const std::string& raw : split(list, ',')) {
    const std::string id(trimmed(raw));
    if (std::find(known.begin(), known.end(), id) == known.end()) {
      throw Error(ErrorCode::usage,
                  format("unknown component {} of stack {}{}", in_quotes(id), in_quotes(stack.name),
                         did_you_mean(id, known)),
                  format("its components are {}", joined(known, ", ")));
    }
    wanted.insert(id);
  }
  std::vector<std::string> ordered;
  for (const std::string& id : known) {
    if (wanted.contains(id)) ordered.push_back(id);
  }
  return ordered;
}

Selection select_packages(const Stack& stack, const Inventory& inventory, const HostFacts& facts,
                          const std::vector<std::string>& components) {
  Selection selection;
  std::vector<WheelChoice> choices;
  std::vector<std::pair<const Component*, const Package*>> chosen;
  for (const std::string& id : components) {
    const Component* component = stack.component(id);
    refuse_broken(inventory, *component);
    const std::vector<const Package*> found = candidates(stack, inventory, *component);
    if (found.empty()) {
      if (component->required) refuse_missing(stack, *component);
      continue;
    }
    if (component->kind == PackageKind::wheel) choices.push_back({component, found});
    chosen.emplace_back(component, found.front());
  }
  if (!choices.empty()) selection.python = fitting_python(choices, facts);
  for (const auto& [component, package] : chosen) {
    const auto choice =
        std::find_if(choices.begin(), choices.end(),
                     [&, c = component](const WheelChoice& w) { return w.component == c; });
    const Package* taken =
        choice == choices.end() ? package : wheel_for(choice->wheels, selection.python->minor);
    selection.packages.push_back(*taken);
    selection.packages.back().component = component->id;
    selection.packages.back().stack = stack.name;
    selection.packages.back().chosen = true;
  }
  return selection;
}

}  // namespace topsctl
