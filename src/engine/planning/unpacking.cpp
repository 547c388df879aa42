// Determines which programs dpkg would run besides unpacking.
#include "engine/planning/unpacking.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/script_effects.hpp"
#include "topsctl/model/relation_parser.hpp"

namespace topsctl {

namespace {

// The observer would see their changes too late, not the state before.
bool writes(const std::string& script) {
  return effects_of(script).writes;
}

// Only to configure it runs its postinst.
bool has_scripts_that_write(const DebFacts& deb) {
  return std::any_of(deb.scripts.begin(), deb.scripts.end(), [](const MaintainerScript& script) {
    return script.name != "postinst" && writes(script.text);
  });
}

// Other packages stay unchanged, and their scripts are not run.
bool is_alone(const DebFacts& deb) {
  return deb.replaces.empty() && deb.conflicts.empty() && deb.breaks.empty() &&
         deb.pre_depends.empty() && deb.triggers.empty();
}

bool is_predicted(const InstalledDeb& before) {
  return !before.has_triggers && !writes(before.scripts);
}

// Of diversions, both sides; and of triggers.
class TouchyPaths {
 public:
  explicit TouchyPaths(const HostFacts& facts)
      : triggers_(facts.trigger_paths.begin(), facts.trigger_paths.end()) {
    for (const auto& [from, to] : facts.diversions) diverted_.insert({from, to});
  }

  bool have(std::string_view path) const {
    if (diverted_.contains(path)) return true;
    for (;; path = path.substr(0, path.rfind('/'))) {
      if (triggers_.contains(path)) return true;
      if (path.rfind('/') == std::string_view::npos) return false;
    }
  }

 private:
  std::set<std::string, std::less<>> diverted_;
  std::set<std::string, std::less<>> triggers_;
};

}  // namespace

bool is_unpacking_predicted(const PlanInput& input, const Plan& plan) {
  const HostFacts& facts = input.facts;
  if (facts.has_dpkg_overrides || !facts.unfinished.empty()) return false;
  const TouchyPaths touchy(facts);
  for (std::size_t i = 0; i < plan.packages.size(); ++i) {
    const Package& package = input.selection.packages[i];
    if (package.kind != PackageKind::deb || plan.packages[i].action == PackageAction::keep)
      continue;
    if (!package.deb || !package.files || !is_alone(*package.deb) ||
        has_scripts_that_write(*package.deb))
      return false;
    const auto is_touchy = [&](const auto& entry) { return touchy.have(entry.path); };
    if (std::any_of(package.files->begin(), package.files->end(), is_touchy)) return false;
    const auto before = facts.debs.find(package.name);
    if (before == facts.debs.end()) continue;
    const auto is_touchy_path = [&](const std::string& path) { return touchy.have(path); };
    const std::vector<std::string>& old_files = before->second.files;
    if (!is_predicted(before->second) ||
        std::any_of(old_files.begin(), old_files.end(), is_touchy_path))
      return false;
  }
  return true;
}

void unpack_unobserved(Plan& plan) {
  std::vector<RunCommand*> calls;
  for (Step& step : plan.steps) {
    auto* run = std::get_if<RunCommand>(&step.action);
    if (run != nullptr && run->program == "dpkg") calls.push_back(run);
  }
  if (calls.size() != 1) return;
  RunCommand& call = *calls.front();
  const auto install = std::find(call.argv.begin(), call.argv.end(), "--install");
  if (install == call.argv.end()) return;
  const auto options = install - call.argv.begin();
  call.unobserved_argv = call.argv;
  call.unobserved_argv[static_cast<std::size_t>(options)] = "--unpack";
  call.argv.resize(static_cast<std::size_t>(options));
  call.argv.emplace_back("--configure");
  for (const PlannedPackage& package : plan.packages) {
    if (package.kind != PackageKind::deb || package.action == PackageAction::keep) continue;
    call.argv.push_back(package.architecture == "all"
                            ? package.name
                            : concat(package.name, ":", package.architecture));
  }
}

bool breaks_what_is_replaced(const Selection& selection, const Plan& plan) {
  std::map<std::string, std::string> replaced;  // versions
  for (const PlannedPackage& package : plan.packages) {
    if (package.kind == PackageKind::deb && package.before && package.action != PackageAction::keep)
      replaced.emplace(package.name, *package.before);
  }
  const auto breaks_one = [&](const Clause& clause) {
    return std::any_of(clause.alternatives.begin(), clause.alternatives.end(),
                       [&](const Relation& relation) {
                         const auto found = replaced.find(relation.name);
                         return found != replaced.end() && accepts(relation, found->second);
                       });
  };
  return std::any_of(
      selection.packages.begin(), selection.packages.end(), [&](const Package& package) {
        const std::vector<Clause> breaks = package.deb
                                               ? parse_relations(package.deb->breaks, package.path)
                                               : std::vector<Clause>();
        return std::any_of(breaks.begin(), breaks.end(), breaks_one);
      });
}

}  // namespace topsctl
