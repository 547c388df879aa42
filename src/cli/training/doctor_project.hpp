// The options of topsctl doctor for a project, and its output.
#pragma once

#include <string>
#include <vector>

#include "cli/finding_text.hpp"
#include "cli/option_table.hpp"
#include "topsctl/engine/diagnosis/doctor_report.hpp"
#include "topsctl/engine/diagnosis/project_reader.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

struct ProjectCommandOptions {
  std::string folder;
  std::string api;  // empty: the stack's
  std::string backend = "eccl";
  std::string style = "settings";  // of the patch
  std::vector<std::string> accepted;
  bool patch = false;
  bool apply = false;
  bool yes = false;  // answers yes to the question of --apply
};

void add_project_options(OptionTable& table, ProjectCommandOptions& options);
// Throws Error{usage} for options that need --project.
void require_project(const ProjectCommandOptions& options);
// `stack`: the target if no option names one; else t2x. Throws Error{usage} for an accepted id that
// no rewrite has.
ProjectOptions project_options_of(const ProjectCommandOptions& options, const Stack& stack);
// Requested changes that the patch does not contain.
std::vector<std::string> project_warnings(const ProjectReading& reading);
// The findings, or only the patch if requested; and the result of applying it.
std::string render_project(const DoctorReport& report, const ProjectReading& reading,
                           const ProjectCommandOptions& options, Detail detail, const Style& style);
// The remaining findings after these files, relative to the project, are changed.
ProjectReading rest_of(const ProjectReading& reading, const std::vector<std::string>& changed);

}  // namespace topsctl
