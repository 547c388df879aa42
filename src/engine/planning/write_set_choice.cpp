// Decides between a prediction and a trial run.
#include "engine/planning/write_set_choice.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::string told(const OpaqueCommand& opaque) {
  return format("{}, line {}: {}", opaque.script, opaque.line, opaque.text);
}

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
      effects.add(effects_of(format("{} of {}", script.name, package.name), script.text));
  }
  if (!any) return effects;
  for (const auto& [name, deb] : input.facts.debs) {
    if (!deb.scripts.empty())
      effects.add(effects_of(format("scripts of the installed {}", name), deb.scripts));
  }
  return effects;
}

WriteSetKnowledge knowledge_of(const PlanOptions& options, const Plan& plan,
                               const ScriptEffects& effects) {
  if (options.mode == InstallMode::rehearse) return {"rehearsed", "", true};
  if (options.write_set == WriteSetWay::rehearsed)
    return {"rehearsed", "--write-set rehearsed", true};
  if (options.write_set == WriteSetWay::predicted)
    return {"predicted", "--write-set predicted", true};
  if (options.write_set == WriteSetWay::observed) return {"observed", "--write-set observed", true};
  if (!runs_programs(plan)) return {"predicted", format("no program is run"), false};
  const std::string why_not_observable =
      options.why_not_observable ? options.why_not_observable() : std::string();
  if (why_not_observable.empty())
    return {"observed", format("each path is backed up before a program changes it"), false};
  const auto also = [&](const std::string& reason) {
    return format("{}; cannot observe programs: {}", reason, why_not_observable);
  };
  if (!effects.opaque) return {"predicted", also(format("all scripts are understood")), false};
  const std::string why_not =
      options.why_not_rehearsable ? options.why_not_rehearsable(plan) : std::string();
  if (why_not.empty()) return {"rehearsed", also(told(*effects.opaque)), false};
  return {"predicted", also(format("{}; {}", told(*effects.opaque), why_not)), false};
}

void add_rehearsal(Plan& plan) {
  const auto keep = std::find_if(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return std::holds_alternative<KeepWriteSet>(step.action);
  });
  if (keep == plan.steps.end()) return;
  plan.steps.insert(keep,
                    {"rehearse", "trial run: apply the plan in a sandbox", RehearsePlan{}, {}});
}

bool has_rehearsal(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return std::holds_alternative<RehearsePlan>(step.action);
  });
}

std::optional<WriteSetWay> write_set_way_named(std::string_view name) {
  if (name == "auto") return WriteSetWay::automatic;
  if (name == "observed") return WriteSetWay::observed;
  if (name == "rehearsed") return WriteSetWay::rehearsed;
  if (name == "predicted") return WriteSetWay::predicted;
  return std::nullopt;
}

}  // namespace topsctl
