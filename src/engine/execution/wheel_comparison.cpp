// Compares distributions with their identities in the plan.
#include "engine/execution/wheel_comparison.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/planning/unchanged_wheels.hpp"
#include "topsctl/host/python/python.hpp"

namespace topsctl {

namespace {

std::string labelled(const InstalledIdentity& wheel) {
  return wheel.version.empty() ? format("{} without a version", wheel.name)
                               : concat(wheel.name, " ", wheel.version);
}

[[noreturn]] void fail_comparison(const std::string& what) {
  throw Error(ErrorCode::step_failed, what,
              "the stack's python.unchanged lists what no install may change; get a wheel that "
              "does not change it");
}

}  // namespace

std::string compare_wheels(const Host& host, const CompareWheels& compare) {
  PythonFacts python;
  python.site_directories = compare.site_directories;
  python.wheels = read_installed_wheels(host, python, compare.names);
  python.eggs = read_installed_eggs(host, python, compare.names);
  const std::vector<InstalledIdentity> after = identities_of(python, compare.names);
  std::vector<std::string> same;
  for (const InstalledIdentity& before : compare.before) {
    const auto now = std::find_if(after.begin(), after.end(), [&](const InstalledIdentity& one) {
      return one.dist_info == before.dist_info;
    });
    if (now == after.end())
      fail_comparison(format("{} was removed from {}", labelled(before), before.dist_info));
    if (*now != before) {
      fail_comparison(
          now->version == before.version
              ? format("{} was replaced: {}/RECORD differs", labelled(before), before.dist_info)
              : format("{} became {}", labelled(before), labelled(*now)));
    }
    same.push_back(format("{} unchanged", labelled(before)));
  }
  for (const InstalledIdentity& now : after) {
    const bool is_known =
        std::find(compare.before.begin(), compare.before.end(), now) != compare.before.end();
    if (!is_known) fail_comparison(format("{} was added in {}", labelled(now), now.dist_info));
  }
  if (same.empty()) same.push_back(format("none of {} is installed", joined(compare.names, ", ")));
  return joined(same, ", ");
}

}  // namespace topsctl
