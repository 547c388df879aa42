// Collects the files of a stack on a host.
#include "topsctl/engine/planning/stack_payload.hpp"

#include <algorithm>

namespace topsctl {

std::vector<std::string> stack_payload(const std::vector<Package>& chosen,
                                       const std::map<std::string, InstalledDeb>& debs) {
  std::vector<std::string> payload;
  for (const Package& package : chosen) {
    if (package.kind != PackageKind::deb || !package.files) continue;
    for (const PayloadEntry& entry : *package.files) payload.push_back(entry.path);
  }
  for (const auto& [name, deb] : debs) {
    if (!is_installed(deb.status)) continue;
    const bool replaced =
        std::any_of(chosen.begin(), chosen.end(), [&, n = name](const Package& package) {
          return package.kind == PackageKind::deb &&
                 (package.name == n || std::find(package.displaces.begin(), package.displaces.end(),
                                                 n) != package.displaces.end());
        });
    if (!replaced) payload.insert(payload.end(), deb.files.begin(), deb.files.end());
  }
  return payload;
}

KeptSettings kept_settings(const Stack& stack, const HostFacts& facts) {
  const auto file = facts.files.find(stack.environment.file);
  return file == facts.files.end() ? KeptSettings() : environment_settings_in(file->second);
}

}  // namespace topsctl
