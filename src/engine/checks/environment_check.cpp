// Judges a host's variables: contradictions, ranks, directories, names and values.
#include "topsctl/engine/checks/environment_check.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/host/facts/start_way.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

constexpr std::array<std::string_view, 3> ranks = {"RANK", "LOCAL_RANK", "WORLD_SIZE"};
constexpr std::array<std::string_view, 2> meeting_point = {"MASTER_ADDR", "MASTER_PORT"};

template <std::size_t Size>
bool is_one_of(std::string_view name, const std::array<std::string_view, Size>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_search_path(const std::string& name) {
  const KnownVariable* known = variable_catalogue().find(name);
  return known != nullptr && known->type == VariableType::search_path;
}

// Whether its value should be a directory, by the catalogue or, for unknown names, by form.
bool names_a_folder(const std::string& name) {
  const KnownVariable* known = variable_catalogue().find(name);
  if (known != nullptr) return known->type == VariableType::folder;
  return name.ends_with("_PATH") || name.ends_with("_ROOT") || name.ends_with("_HOME");
}

bool is_of_stacks(const std::string& name) {
  const KnownVariable* known = variable_catalogue().find(name);
  return known == nullptr || known->grade != VariableGrade::plausible;
}

// Other programs' directories in PATH are not judged.
bool is_ours(const std::string& folder) {
  const std::string lower = lower_case(folder);
  const std::vector<std::string>& words = variable_catalogue().folder_words;
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return lower.find(word) != std::string::npos;
  });
}

Evidence evidence_of(const SetVariable::At& at) {
  return {at.place->name, at.assignment->line,
          printable(concat(at.assignment->name, "=", at.assignment->value))};
}

class Judge {
 public:
  Judge(const std::vector<EnvironmentPlace>& places, const Stack& stack,
        const std::function<bool(const std::string&)>& is_folder)
      : places_(places), stack_(stack), is_folder_(is_folder) {}

  std::vector<Finding> findings() {
    for (const SetVariable& variable : set_variables(places_)) {
      if (!is_of_stack(variable.name)) continue;
      judge_name(variable);
      judge_for_everybody(variable);
      judge_contradiction(variable);
      for (const SetVariable::At& at : variable.at) judge_value(variable, at);
    }
    judge_files();
    for (const VariableRelation& relation : variable_catalogue().relations) judge(relation);
    sort_findings(found_);
    return std::move(found_);
  }

 private:
  void add(std::string_view id, const std::string& subject, std::vector<Evidence> evidence) {
    found_.push_back(make_finding(id, subject, std::move(evidence)));
  }

  static std::vector<Evidence> evidence_of_all(const SetVariable& variable) {
    std::vector<Evidence> evidence;
    for (const SetVariable::At& at : variable.at) evidence.push_back(evidence_of(at));
    return evidence;
  }

  void judge_name(const SetVariable& variable) {
    const KnownVariable* known = variable_catalogue().find(variable.name);
    std::vector<Evidence> evidence = evidence_of_all(variable);
    if (known == nullptr) {
      const auto meant = variable_catalogue().nearly(variable.name, stack_.backend.name);
      if (meant) evidence.push_back({*meant, 0, "is the known name"});
      add(meant ? "environment-name-misspelt" : "environment-variable-unknown", variable.name,
          std::move(evidence));
      return;
    }
    const std::string& generation = stack_.environment.generation;
    const bool is_foreign =
        known->generation != "all" && !generation.empty() && known->generation != generation;
    if (known->grade == VariableGrade::wrong) {
      add("environment-variable-harmful", variable.name, std::move(evidence));
    } else if (is_foreign) {
      add("environment-other-generation", variable.name, std::move(evidence));
    } else if (!known->is_of_process) {
      add_unless_ours("environment-for-container-runtime", variable);
    } else if (known->grade == VariableGrade::unknown) {
      add_unless_ours("environment-variable-unknown", variable);
    }
  }

  bool does_stack_set(std::string_view name) const {
    const auto has = [&](const std::vector<VariableRule>& rules) {
      return std::any_of(rules.begin(), rules.end(),
                         [&](const VariableRule& rule) { return rule.name == name; });
    };
    const auto& profiles = stack_.environment.profiles;
    return has(stack_.environment.variables) ||
           std::any_of(profiles.begin(), profiles.end(),
                       [&](const ProfileRule& profile) { return has(profile.variables); });
  }

  // The stack's own settings must not be removed, and neither must copies of them.
  void add_unless_ours(std::string_view id, const SetVariable& variable) {
    std::set<std::string_view> ours;
    for (const SetVariable::At& at : variable.at) {
      if (at.place->is_of_stack && does_stack_set(variable.name)) ours.insert(at.assignment->value);
    }
    std::vector<Evidence> evidence;
    for (const SetVariable::At& at : variable.at) {
      if (!ours.contains(at.assignment->value)) evidence.push_back(evidence_of(at));
    }
    if (!evidence.empty()) add(id, variable.name, std::move(evidence));
  }

  // Variables that a launcher sets per process are correct in a process, but not in files for all.
  void judge_for_everybody(const SetVariable& variable) {
    const bool is_rank = is_one_of(variable.name, ranks);
    if (!is_rank && !is_one_of(variable.name, meeting_point)) return;
    std::vector<Evidence> evidence;
    for (const SetVariable::At& at : variable.at) {
      if (at.place->kind != PlaceKind::process && at.place->kind != PlaceKind::unit)
        evidence.push_back(evidence_of(at));
    }
    if (evidence.empty()) return;
    add(is_rank ? "environment-rank-set" : "environment-master-set", variable.name,
        std::move(evidence));
  }

  void judge_contradiction(const SetVariable& variable) {
    if (is_search_path(variable.name) || is_one_of(variable.name, ranks)) return;
    // In one place the last one counts.
    std::map<const EnvironmentPlace*, SetVariable::At> last;
    for (const SetVariable::At& at : variable.at) last[at.place] = at;
    std::vector<Evidence> evidence;
    std::vector<std::string> values;
    for (const SetVariable::At& at : variable.at) {
      if (last.at(at.place).assignment != at.assignment || !at.assignment->is_known) continue;
      evidence.push_back(evidence_of(at));
      values.push_back(at.assignment->value);
    }
    const bool differ = std::any_of(values.begin(), values.end(),
                                    [&](const std::string& v) { return v != values.front(); });
    if (differ) add("environment-contradiction", variable.name, std::move(evidence));
  }

  void judge_value(const SetVariable& variable, const SetVariable::At& at) {
    const Assignment& assignment = *at.assignment;
    if (is_search_path(variable.name)) {
      judge_search_path(at);
      return;
    }
    if (!assignment.is_known) return;
    const KnownVariable* known = variable_catalogue().find(variable.name);
    const std::string objection = known == nullptr ? "" : objection_to(*known, assignment.value);
    if (!objection.empty()) {
      add("environment-value-wrong", variable.name,
          {evidence_of(at), {variable.name, 0, objection}});
    }
    const bool is_missing = names_a_folder(variable.name) && assignment.value.starts_with('/') &&
                            !is_folder_(assignment.value);
    if (is_missing) add("environment-folder-missing", variable.name, {evidence_of(at)});
  }

  void judge_search_path(const SetVariable::At& at) {
    const Assignment& assignment = *at.assignment;
    const std::string& name = assignment.name;
    const bool is_path = name == "PATH";  // which is always set before
    const std::vector<std::string> folders = split(assignment.value, ':');
    const bool has_empty =
        !assignment.value.empty() && std::find(folders.begin(), folders.end(), "") != folders.end();
    if (has_empty || (assignment.appends_bare && !is_path))
      add("environment-empty-entry", name, {evidence_of(at)});
    std::vector<std::string> told;
    for (const std::string& folder : folders) {
      const bool is_judged = folder.starts_with('/') && folder.find('$') == std::string::npos &&
                             (!is_path || is_ours(folder)) &&
                             !at.place->set.tested.contains(folder) &&
                             std::find(told.begin(), told.end(), folder) == told.end();
      if (!is_judged || is_folder_(folder)) continue;
      told.push_back(folder);
      add("environment-folder-missing", name,
          {evidence_of(at), {printable(folder), 0, "is not a directory on this host"}});
    }
  }

  // Start files that set only the stacks' variables, besides the stack's own file.
  void judge_files() {
    std::vector<Evidence> evidence;
    bool has_other = false;
    for (const EnvironmentPlace& place : places_) {
      if (place.kind != PlaceKind::shell) continue;
      const auto& all = place.set.assignments;
      const auto count =
          std::count_if(all.begin(), all.end(), [this](const Assignment& assignment) {
            return is_of_stacks(assignment.name) && is_of_stack(assignment.name);
          });
      if (count == 0) continue;
      has_other = has_other || !place.is_of_stack;
      evidence.push_back({place.name, 0,
                          format("sets {}{}", counted(static_cast<std::size_t>(count), "variable"),
                                 place.is_of_stack ? "; from the stack" : "")});
    }
    if (evidence.size() > 1 && has_other)
      add("environment-several-files", stack_.environment.file, std::move(evidence));
  }

  bool is_of_stack(const std::string& name) const {
    return variable_catalogue().is_of(name, stack_.backend.name);
  }

  // The last one in a place counts.
  static const Assignment* last_of(const EnvironmentPlace& place, const std::string& name) {
    const auto& all = place.set.assignments;
    const auto last = std::find_if(all.rbegin(), all.rend(),
                                   [&](const Assignment& each) { return each.name == name; });
    return last == all.rend() ? nullptr : &*last;
  }

  // In a process, all its variables apply together; of files, any combination may be read.
  void judge(const VariableRelation& relation) {
    if (relation.backend != stack_.backend.name) return;
    for (const EnvironmentPlace& place : places_) {
      const Assignment* when = last_of(place, relation.name);
      if (when == nullptr || when->value != relation.value) continue;
      std::vector<std::string> values;
      std::vector<Evidence> evidence = {evidence_of({&place, when})};
      for (const EnvironmentPlace& other : places_) {
        const bool is_alone = place.kind == PlaceKind::process || other.kind == PlaceKind::process;
        if (is_alone && &other != &place) continue;
        const Assignment* assignment = last_of(other, relation.other);
        if (assignment == nullptr) continue;
        values.push_back(assignment->value);
        evidence.push_back(evidence_of({&other, assignment}));
      }
      if (holds(relation, values)) continue;
      evidence.push_back(
          {relation.name, 0, format("wants {}: {}", relation.wanted_text(), relation.why)});
      add(relation.is_error ? "environment-variables-exclude" : "environment-variable-alone",
          relation.name, std::move(evidence));
    }
  }

  const std::vector<EnvironmentPlace>& places_;
  const Stack& stack_;
  const std::function<bool(const std::string&)>& is_folder_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<SetVariable> set_variables(const std::vector<EnvironmentPlace>& places) {
  std::map<std::string, SetVariable> by_name;
  for (const EnvironmentPlace& place : places) {
    for (const Assignment& assignment : place.set.assignments) {
      SetVariable& variable = by_name[assignment.name];
      variable.name = assignment.name;
      variable.at.push_back({&place, &assignment});
    }
  }
  std::vector<SetVariable> variables;
  for (auto& [name, variable] : by_name) {
    const KnownVariable* known = variable_catalogue().find(name);
    if (known != nullptr) variable.grade = known->grade;
    variables.push_back(std::move(variable));
  }
  return variables;
}

std::vector<Finding> environment_findings(
    const std::vector<EnvironmentPlace>& places, const Stack& stack,
    const std::function<bool(const std::string&)>& is_folder) {
  return Judge(places, stack, is_folder).findings();
}

bool is_in_effect(const std::vector<EnvironmentPlace>& places) {
  const auto sets = [](const EnvironmentPlace& place, const std::string& name) {
    const auto& all = place.set.assignments;
    return std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  };
  const auto own = std::find_if(places.begin(), places.end(),
                                [](const EnvironmentPlace& place) { return place.is_here; });
  // One variable alone may come from elsewhere, and some may have been unset on purpose.
  return std::none_of(places.begin(), places.end(), [&](const EnvironmentPlace& place) {
    std::size_t wanted = 0;
    std::size_t set = 0;
    for (const auto& each : place.set.assignments) {
      if (is_search_path(each.name)) continue;
      ++wanted;
      set += own != places.end() && sets(*own, each.name) ? 1 : 0;
    }
    return place.is_of_stack && (set == 0 || 2 * set < wanted);
  });
}

std::vector<Finding> setting_findings(const std::map<std::string, std::string>& variables,
                                      const Stack& stack, const SettingOptions& chosen) {
  EnvironmentPlace place;
  place.name = "the chosen environment";
  place.kind = PlaceKind::process;
  place.is_of_stack = true;
  for (const auto& [name, value] : variables) {
    if (!is_search_path(name)) place.set.assignments.push_back({name, value});
  }
  std::vector<Finding> found =
      environment_findings({place}, stack, [](const std::string&) { return true; });
  for (Finding& each : found) {
    const bool is_chosen = std::any_of(
        chosen.set.begin(), chosen.set.end(),
        [&](const std::string& setting) { return setting.starts_with(concat(each.subject, "=")); });
    // Other names belong to other programs.
    if (is_chosen && variable_catalogue().concerns(each.subject))
      each.severity = std::max(each.severity, Severity::warning);
  }
  std::erase_if(found, [](const Finding& each) { return each.severity < Severity::warning; });
  return found;
}

EnvironmentCheck check_environment(const Host& host, const Stack& stack,
                                   std::optional<std::int64_t> process,
                                   std::vector<std::string>& warnings) {
  EnvironmentCheck check;
  check.places = environment_places(host, stack, process, warnings);
  check.findings = environment_findings(check.places, stack, [&](const std::string& folder) {
    std::error_code failure;
    return std::filesystem::is_directory(host.resolve(folder), failure);
  });
  if (host.root == "/" && !is_in_effect(check.places)) {
    check.findings.push_back(make_finding(
        concat("environment-not-in-effect-", name(start_way(host))), stack.environment.file));
    sort_findings(check.findings);
  }
  return check;
}

bool has_problems(const EnvironmentCheck& check) {
  return std::any_of(check.findings.begin(), check.findings.end(),
                     [](const Finding& f) { return f.severity >= Severity::warning; });
}

Json to_json(const EnvironmentCheck& check) {
  Json places = Json::array();
  for (const EnvironmentPlace& place : check.places) {
    places.push_back({{"name", place.name},
                      {"kind", name(place.kind)},
                      {"is_of_stack", place.is_of_stack},
                      {"count", place.set.assignments.size()}});
  }
  Json variables = Json::array();
  for (const SetVariable& variable : set_variables(check.places)) {
    const KnownVariable* known = variable_catalogue().find(variable.name);
    Json at = Json::array();
    for (const SetVariable::At& each : variable.at) {
      at.push_back({{"place", each.place->name},
                    {"line", each.assignment->line > 0 ? Json(each.assignment->line) : Json()},
                    {"value", printable(each.assignment->value)},
                    {"is_known", each.assignment->is_known}});
    }
    variables.push_back({{"name", variable.name},
                         {"grade", name(variable.grade)},
                         {"source", known == nullptr ? Json() : Json(known->source)},
                         {"at", std::move(at)}});
  }
  Json findings = Json::array();
  for (const Finding& finding : check.findings) findings.push_back(to_json(finding));
  return {{"places", std::move(places)},
          {"variables", std::move(variables)},
          {"findings", std::move(findings)}};
}

}  // namespace topsctl
