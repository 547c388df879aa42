// Runs the steps of an install before its first change, and records refusals instead of stopping.
#include "topsctl/engine/planning/foresight.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/planning/host_objections.hpp"
#include "topsctl/engine/planning/unchanged_wheels.hpp"
#include "topsctl/engine/planning/wheel_clashes.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/facts/facts.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

class Foresight {
 public:
  Foresight(const Stack& stack, const TargetSnapshot& target, const HostFacts& facts,
            const std::optional<Host>& host)
      : stack_(stack), target_(target), facts_(facts), host_(host) {}

  std::vector<Finding> look(const Inspection& inspection) {
    Selection selection;
    const bool is_selected = note(no_interpreter_finding, "the wheels of the stack", [&] {
      selection = select_packages(stack_, inspection.inventory, facts_, stack_.component_ids());
    });
    if (!is_selected) return std::move(findings_);
    note_host(selection);
    if (inspection.depth == Depth::deep) note_files(selection);
    return std::move(findings_);
  }

 private:
  // Whether it succeeded. Faults that are not the host's are reported by other findings.
  template <class Act>
  bool note(const char* id, const std::string& subject, const Act& act) {
    try {
      act();
      return true;
    } catch (const Error& error) {
      const std::string& message = error.message();
      const std::string prefix = concat(id, ": ");
      if (message.starts_with(prefix)) {
        findings_.push_back(
            make_finding(id, subject, {{subject, 0, message.substr(prefix.size())}}));
      }
      return false;
    }
  }

  // fit_of() reports architectures and unfinished packages; the directories of an interpreter are
  // known only on the host itself.
  void note_host(const Selection& selection) {
    for (const Objection& objection : host_objections(selection, facts_, {})) {
      const bool is_reported = objection.id == "architecture-differs" ||
                               objection.id == "package-half-installed" ||
                               (!host_ && objection.id == "interpreter-without-places");
      if (!is_reported) findings_.push_back(finding_of(objection));
    }
  }

  void note_files(const Selection& selection) {
    note(untouched_finding, "the wheels of the stack",
         [&] { require_untouched(stack_, selection); });
    if (!host_) return;
    for (Finding& finding : wheel_clashes(*host_, selection, target_.owners))
      findings_.push_back(std::move(finding));
    const bool is_possible =
        std::none_of(findings_.begin(), findings_.end(),
                     [](const Finding& finding) { return finding.severity >= Severity::error; });
    if (!is_possible) return;
    note(protected_finding, "files of the target", [&] {
      require_changeable(*host_, plan_install({stack_, selection, facts_, {}}).write_set);
    });
  }

  const Stack& stack_;
  const TargetSnapshot& target_;
  const HostFacts& facts_;
  const std::optional<Host>& host_;
  std::vector<Finding> findings_;
};

}  // namespace

HostFacts facts_of(const TargetSnapshot& target, const Stack& stack) {
  HostFacts facts;
  facts.os = target.os;
  facts.architecture = target.architecture;
  facts.dpkg_version = target.dpkg_version;
  facts.unfinished = unfinished_packages(target.packages);
  for (const Diversion& diversion : target.diversions)
    facts.diversions[diversion.from] = diversion.to;
  for (const std::string& executable : stack.python.executables) {
    const auto found =
        std::find_if(target.pythons.begin(), target.pythons.end(),
                     [&](const PythonFacts& python) { return python.executable == executable; });
    if (found != target.pythons.end()) facts.pythons.push_back(*found);
  }
  // If a program has several names, a snapshot has only the first.
  if (facts.pythons.empty()) facts.pythons = target.pythons;
  return facts;
}

std::vector<Finding> foreseen_refusals(const Stack& stack, const Inspection& inspection,
                                       const TargetSnapshot& target, const HostFacts& facts,
                                       const std::optional<Host>& host) {
  return Foresight(stack, target, facts, host).look(inspection);
}

std::vector<Finding> foreseen_refusals(const std::string& stack, const Inspection& inspection,
                                       const TargetSnapshot& target,
                                       const std::optional<Host>& host) {
  if (!target.are_pythons_known) return {};
  try {
    const Stack chosen = chosen_stack(stack, inspection.inventory).stack;
    if (!host) return foreseen_refusals(chosen, inspection, target, facts_of(target, chosen), host);
    std::vector<std::string> displaced;
    for (const Package& package : inspection.inventory.packages)
      displaced.insert(displaced.end(), package.displaces.begin(), package.displaces.end());
    const HostFacts facts =
        read_host_facts(*host, read_dpkg_database(*host), chosen, "", displaced);
    return foreseen_refusals(chosen, inspection, target, facts, host);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    return {};  // no complete stack, which is reported as such; or no such host
  }
}

}  // namespace topsctl
