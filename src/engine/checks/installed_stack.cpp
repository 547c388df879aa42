// Compares dpkg's packages with the components of stacks.
#include "topsctl/engine/checks/installed_stack.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"

namespace topsctl {

namespace {

bool has_deb(const std::vector<TargetPackage>& packages, const Component& component) {
  return std::any_of(component.names.begin(), component.names.end(), [&](const std::string& name) {
    const TargetPackage* package = package_named(packages, name);
    return package != nullptr && is_installed(package->status) &&
           (component.version.empty() || version_contains(package->version, component.version));
  });
}

}  // namespace

const Stack* stack_among(const std::vector<Stack>& stacks,
                         const std::vector<TargetPackage>& packages) {
  const auto is_there = [&](const Stack& stack) {
    bool has_any = false;
    for (const Component& component : stack.components) {
      if (component.kind != PackageKind::deb || !component.required) continue;
      if (!has_deb(packages, component)) return false;
      has_any = true;
    }
    return has_any;
  };
  const auto found = std::find_if(stacks.begin(), stacks.end(), is_there);
  return found == stacks.end() ? nullptr : &*found;
}

std::optional<Stack> installed_stack(const Host& host) {
  const std::vector<Stack> stacks = known_stacks();
  try {
    const Stack* found = stack_among(stacks, read_packages(host));
    return found == nullptr ? std::nullopt : std::optional(*found);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::host_unfit && error.code() != ErrorCode::permission) throw;
    return std::nullopt;
  }
}

Stack stack_on(const Host& host, const std::string& choice) {
  if (!choice.empty()) return load_stack(choice);
  std::optional<Stack> installed = installed_stack(host);
  return installed ? *std::move(installed) : known_stacks().front();
}

}  // namespace topsctl
