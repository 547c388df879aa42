// Tables of changes, interpreters and space.
#include "cli/compatibility_text.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

TextSection changes_section(const CompatibilityReport& fit, const Inventory& inventory,
                            const TargetSnapshot& target) {
  TextSection section;
  section.title = format("on {} ({}, glibc {}, dpkg {})",
                         target.host_name.empty() ? "the target" : target.host_name, target.os,
                         or_dash(target.glibc), or_dash(target.dpkg_version));
  section.rows = {{"package", "now", "then", "action", "for"}};
  for (const CompatibilityChange& change : fit.changes) {
    section.rows.push_back({inventory.packages[change.index].name, or_dash(change.now), change.then,
                            std::string(name(change.action)),
                            change.python.empty() ? "dpkg" : change.python});
  }
  return section;
}

TextSection interpreters_section(const CompatibilityReport& fit, const Inventory& inventory) {
  TextSection section{"interpreters", {{"", "interpreter", "Python", "pip", "wheel"}}};
  for (const InterpreterCompatibility& interpreter : fit.interpreters) {
    for (const DistributionCompatibility& choice : interpreter.wheels) {
      section.rows.push_back({interpreter.is_taken ? "*" : "", interpreter.executable,
                              interpreter.minor, or_dash(interpreter.pip_version),
                              choice.wheel ? inventory.packages[*choice.wheel].path : choice.why});
    }
  }
  return section;
}

TextSection space_section(const CompatibilityReport& fit) {
  TextSection section{"space", {{"mount", "needed", "free"}}};
  for (const SpaceNeed& need : fit.space) {
    section.rows.push_back({need.mount, human_size(need.needed_bytes),
                            need.read_only ? "read-only" : human_size(need.free_bytes)});
  }
  return section;
}

}  // namespace

std::vector<TextSection> fit_sections(const CompatibilityReport& fit, const Inventory& inventory,
                                      const TargetSnapshot& target) {
  std::vector<TextSection> sections;
  for (TextSection section : {changes_section(fit, inventory, target),
                              interpreters_section(fit, inventory), space_section(fit)}) {
    if (section.rows.size() > 1) sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace topsctl
