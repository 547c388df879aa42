// Chooses observation where possible.
#include "engine/planning/write_set_choice.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

bool runs_programs(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return std::holds_alternative<RunCommand>(step.action);
  });
}

}  // namespace

ScriptEffects effects_of_debs(const PlanInput& input, const Plan& plan) {
  ScriptEffects effects;
  bool any = false;
  for (std::size_t i = 0; i < plan.packages.size(); ++i) {
    const Package& package = input.selection.packages[i];
    if (package.kind != PackageKind::deb || plan.packages[i].action == PackageAction::keep)
      continue;
    any = true;
    if (!package.deb) continue;
    for (const MaintainerScript& script : package.deb->scripts)
      effects.add(effects_of(script.text));
  }
  if (!any) return effects;
  for (const auto& [name, deb] : input.facts.debs) {
    effects.add(effects_of(deb.scripts));
  }
  return effects;
}

WriteSetKnowledge knowledge_of(const PlanOptions& options, const Plan& plan) {
  if (options.write_set == WriteSetWay::predicted)
    return {"predicted", "--write-set predicted", true};
  if (options.write_set == WriteSetWay::observed) return {"observed", "--write-set observed", true};
  if (!runs_programs(plan)) return {"predicted", format("no program is run"), false};
  const std::string why_not =
      options.why_not_observable ? options.why_not_observable() : std::string();
  if (!why_not.empty()) return {"predicted", format("cannot observe programs: {}", why_not), false};
  return {"observed", format("each path is backed up before a program changes it"), false};
}

std::optional<WriteSetWay> write_set_way_named(std::string_view name) {
  if (name == "auto") return WriteSetWay::automatic;
  if (name == "observed") return WriteSetWay::observed;
  if (name == "predicted") return WriteSetWay::predicted;
  return std::nullopt;
}

}  // namespace topsctl
