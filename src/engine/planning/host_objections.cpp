// Judges host and interpreter before a plan is made.
#include "topsctl/engine/planning/host_objections.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

void object_to_architectures(const Selection& selection, const HostFacts& facts,
                             std::vector<Objection>& objections) {
  for (const Package& package : selection.packages) {
    if (package.kind != PackageKind::deb || package.architecture == facts.architecture ||
        package.architecture == "all")
      continue;
    objections.push_back({"architecture-differs", package.path,
                          format("{} is for {}, the host is {}", package.name, package.architecture,
                                 facts.architecture),
                          "use the bundle for this architecture: topsctl installs only packages of "
                          "the host's own architecture, regardless of `dpkg --add-architecture`"});
  }
}

void object_to_eggs(const Selection& selection, std::vector<Objection>& objections) {
  const PythonFacts& python = *selection.python;
  for (const Package& package : selection.packages) {
    for (const std::string& old : python.egg_infos) {
      if (package.kind != PackageKind::wheel ||
          normalized_name(old) != normalized_name(package.name))
        continue;
      objections.push_back({"installed-as-egg", package.path,
                            format("{} is installed for {} in a legacy format (egg-info) that "
                                   "cannot be backed up for rollback",
                                   package.name, python.executable),
                            format("remove it with `{} -m pip uninstall {}` first",
                                   python.executable, package.name)});
    }
  }
}

void object_to_interpreter(const PythonFacts& python, const HostFacts& facts,
                           const PlanOptions& options, std::vector<Objection>& objections) {
  const std::string& executable = python.executable;
  if (python.externally_managed && options.system_python == SystemPython::refuse) {
    objections.push_back(
        {"interpreter-managed-by-system", executable,
         format("{} is managed by the operating system (PEP 668)", in_quotes(executable)),
         facts.is_python_named
             ? format("create a virtual environment with `{} -m venv DIR` and specify "
                      "DIR/bin/python, or allow this one with --allow-system-python",
                      executable)
             : std::string("specify the interpreter of a virtual environment with --python, or "
                           "allow this one with --allow-system-python")});
  }
}

}  // namespace

std::vector<Objection> host_objections(const Selection& selection, const HostFacts& facts,
                                       const PlanOptions& options) {
  std::vector<Objection> objections;
  object_to_architectures(selection, facts, objections);
  if (!facts.unfinished.empty()) {
    objections.push_back({"package-half-installed", "packages of the target",
                          format("dpkg has packages that are not fully installed: {}",
                                 joined(facts.unfinished, ", ")),
                          "see `dpkg --audit`, then finish, reinstall or remove them first"});
  }
  if (selection.python == nullptr) return objections;
  const PythonFacts& python = *selection.python;
  if (python.scheme.purelib.empty()) {
    objections.push_back(
        {"interpreter-without-places", python.executable,
         format("{} does not report where it installs packages", in_quotes(python.executable)),
         "name another interpreter with --python"});
  }
  object_to_eggs(selection, objections);
  object_to_interpreter(python, facts, options, objections);
  return objections;
}

Finding finding_of(const Objection& objection) {
  return make_finding(objection.id, objection.subject, {{objection.subject, 0, objection.what}});
}

void require_plannable(const Selection& selection, const HostFacts& facts,
                       const PlanOptions& options) {
  const std::vector<Objection> objections = host_objections(selection, facts, options);
  if (objections.empty()) return;
  const Objection& first = objections.front();
  throw Error(ErrorCode::host_unfit, format("{}: {}", first.id, first.what), first.hint);
}

}  // namespace topsctl
