// Reads a project's options and renders its findings.
#include "cli/training/doctor_project.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "cli/approval.hpp"
#include "cli/training/doctor_text.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

void add_project_options(OptionTable& table, ProjectCommandOptions& options) {
  table.value("--project", options.folder, "Source directory of the training", "DIR");
  table.value("--api", options.api, "API that the project is to use; default: the stack's", "API")
      .choices({"t2x", "s60", cuda_api});
  table.value("--backend", options.backend, "Process group backend; default: eccl", "BACKEND")
      .choices({"eccl", "gloo"});
  table.value("--style", options.style, "What the patch changes; default: settings", "STYLE")
      .choices(patch_style_names());
  table.flag("--patch", options.patch, "Print the changes as a patch");
  table.flag("--apply", options.apply, "Make the changes; undo with `topsctl rollback`");
  add_yes_option(table, options.yes);
  table.option("--yes").hidden();  // the short help fits a screen; the page has it
  table
      .value("--accept", options.accepted, "Also make the uncertain changes of this diagnosis",
             "ID")
      .lists("rewrites");
}

void require_project(const ProjectCommandOptions& options) {
  if (!options.folder.empty()) return;
  if (options.patch || options.apply || !options.accepted.empty() || options.style != "settings")
    throw Error(ErrorCode::usage, "--patch, --apply, --style and --accept need a project",
                "give its directory: --project DIR");
}

ProjectOptions project_options_of(const ProjectCommandOptions& options, const Stack& stack) {
  ProjectOptions project;
  if (!options.api.empty())
    project.target.api = options.api;
  else if (!stack.environment.generation.empty())
    project.target.api = stack.environment.generation;
  project.target.backend = options.backend;
  project.style = patch_style_named(options.style).value_or(PatchStyle::settings);
  std::set<std::string> known;
  for (const Rewrite& rewrite : built_in_rewrites()) known.insert(rewrite.id);
  for (const std::string& id : options.accepted) {
    if (!known.contains(id))
      throw Error(ErrorCode::usage,
                  format("unknown rewrite {}{}", in_quotes(id),
                         did_you_mean(id, std::vector<std::string>(known.begin(), known.end()))),
                  "`topsctl doctor --project DIR` lists the ids");
    project.accepted.insert(id);
  }
  return project;
}

std::vector<std::string> project_warnings(const ProjectReading& reading) {
  std::vector<std::string> warnings;
  for (const PassedOver& each : reading.passed_over)
    warnings.push_back(format("skipped {}: {}", in_quotes(each.path), each.why));
  std::map<std::string, std::size_t> waiting;
  for (const ProjectPlace& place : reading.places) {
    if (place.has_rewrite && !place.is_applied) ++waiting[place.id];
  }
  for (const auto& [id, count] : waiting)
    warnings.push_back(format("review what {} found in {}, then change it with --accept {}", id,
                              counted(count, "place"), id));
  return warnings;
}

ProjectReading rest_of(const ProjectReading& reading, const std::vector<std::string>& changed) {
  ProjectReading rest = reading;
  std::erase_if(rest.places, [&](const ProjectPlace& place) {
    return place.is_applied &&
           std::find(changed.begin(), changed.end(), place.path) != changed.end();
  });
  return rest;
}

namespace {

std::string places_line(const ProjectReading& reading, const Style& style) {
  const auto count = [&](Handling handling) {
    return std::count_if(reading.places.begin(), reading.places.end(),
                         [&](const ProjectPlace& place) { return place.handling == handling; });
  };
  return concat(
      style.bold(format("places:")), " ",
      format("{} done by the runtime shim, {} to be changed, {} cannot run on these cards",
             count(Handling::shim), count(Handling::change), count(Handling::cannot)),
      "\n");
}

}  // namespace

std::string render_project(const DoctorReport& report, const ProjectReading& reading,
                           const ProjectCommandOptions& options, Detail detail,
                           const Style& style) {
  if (options.patch && !options.apply) return reading.diff;
  std::string text =
      concat(options.patch ? reading.diff : "", render_doctor(report, detail, style));
  if (!reading.places.empty()) text += places_line(reading, style);
  if (reading.changes.empty()) return text;
  if (options.apply) {
    if (report.patch->files.empty()) return text;
    return text + concat(style.bold(format("patch:")), " ",
                         format("{} changed; undo with `topsctl rollback {}`",
                                counted(report.patch->files.size(), "file"),
                                report.patch->transaction.value()),
                         "\n");
  }
  return text + concat(style.bold(format("patch:")), " ",
                       format("--patch prints the changes to {}, --apply makes them",
                              counted(reading.changes.size(), "file")),
                       "\n");
}

}  // namespace topsctl
