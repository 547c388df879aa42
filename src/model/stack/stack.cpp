// Decides which packages are components of a stack.
#include "topsctl/model/stack/stack.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

std::string_view name(Grade grade) {
  switch (grade) {
    case Grade::attested:
      return "attested";
    case Grade::guide:
      return "guide";
    case Grade::chosen:
      return "chosen";
  }
  return "attested";
}

const Component* Stack::component(std::string_view id) const {
  const auto found = std::find_if(components.begin(), components.end(),
                                  [&](const Component& c) { return c.id == id; });
  return found == components.end() ? nullptr : &*found;
}

std::vector<std::string> Stack::component_ids() const {
  std::vector<std::string> ids;
  for (const Component& component : components) ids.push_back(component.id);
  return ids;
}

const ProfileRule* Stack::profile(std::string_view name) const {
  const std::vector<ProfileRule>& profiles = environment.profiles;
  const auto found = std::find_if(profiles.begin(), profiles.end(),
                                  [&](const ProfileRule& p) { return p.name == name; });
  return found == profiles.end() ? nullptr : &*found;
}

std::vector<std::string> Stack::profile_names() const {
  std::vector<std::string> names;
  for (const ProfileRule& profile : environment.profiles) names.push_back(profile.name);
  return names;
}

bool version_contains(std::string_view version, std::string_view wanted) {
  if (wanted.empty()) return true;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (auto at = version.find(wanted); at != std::string_view::npos;
       at = version.find(wanted, at + 1)) {
    const bool begins = at == 0 || (!is_digit(version[at - 1]) && version[at - 1] != '.');
    const auto end = at + wanted.size();
    const bool ends = end == version.size() || !is_digit(version[end]);
    if (begins && ends) return true;
  }
  return false;
}

std::string normalized_name(std::string_view name) {
  std::string out;
  for (const char c : lower_case(name)) {
    const bool separator = c == '-' || c == '_' || c == '.';
    if (separator && !out.empty() && out.back() == '-') continue;
    out.push_back(separator ? '-' : c);
  }
  return out;
}

std::size_t Stack::open_decisions() const {
  return static_cast<std::size_t>(std::count_if(
      draft.begin(), draft.end(), [](const DraftNote& note) { return !note.decide.empty(); }));
}

bool is_named_like(const Component& component, const Package& package) {
  if (package.kind != component.kind) return false;
  const std::string file = package.path.substr(package.path.rfind('/') + 1);
  const std::string stem = file.substr(0, file.find(package.kind == PackageKind::deb ? '_' : '-'));
  return std::any_of(component.names.begin(), component.names.end(), [&](const std::string& name) {
    return normalized_name(name) == normalized_name(stem);
  });
}

bool is_named(const Component& component, const Package& package) {
  if (component.kind != package.kind) return false;
  return std::any_of(component.names.begin(), component.names.end(), [&](const std::string& name) {
    return package.kind == PackageKind::wheel
               ? normalized_name(name) == normalized_name(package.name)
               : name == package.name;
  });
}

const Component* matching_component(const Stack& stack, const Package& package) {
  for (const Component& component : stack.components) {
    if (is_named(component, package) && has_version(stack, component, package.version))
      return &component;
  }
  return nullptr;
}

}  // namespace topsctl
