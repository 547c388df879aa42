// Dependencies: of the bundle's debs on target and bundle, and of installed packages on packages
// that the bundle replaces.
#include "engine/compatibility/dependencies.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

// The package's state on the target or in the bundle: "libelf1 0.176 is installed".
std::string presence(const KnownDeb& deb, const KnownDeb& by) {
  const std::string label = deb.architecture == by.architecture
                                ? deb.label()
                                : concat(deb.name, ":", deb.architecture, " ", deb.version);
  if (deb.of_bundle()) return format("the bundle has {}", label);
  if (deb.is_configured) return format("{} is installed", label);
  return format("{} is not completely installed", label);
}

// A deb of the bundle that would satisfy it if it were selected.
const Package* unchosen(const Inventory& inventory, const ComparedDebs& debs,
                        const Relation& relation) {
  for (const Package& package : inventory.packages) {
    const bool is_meant = package.kind == PackageKind::deb && package.name == relation.name &&
                          package.verdict != Verdict::broken && accepts(relation, package.version);
    const bool is_taken =
        std::any_of(debs.bundle.begin(), debs.bundle.end(),
                    [&](const KnownDeb* deb) { return deb->package == &package; });
    if (is_meant && !is_taken) return &package;
  }
  return nullptr;
}

class Unmet {
 public:
  Unmet(const KnownDeb& deb, const ComparedDebs& debs, const Inventory& inventory)
      : deb_(deb), debs_(debs), inventory_(inventory) {}

  void look_at(std::string_view field, const std::vector<Clause>& clauses) {
    for (const Clause& clause : clauses) {
      if (!debs_.after.is_met(clause, deb_)) add(field, clause);
    }
  }

  void report(Findings& findings) {
    report("dependency-missing", missing_, wanted_missing_, findings);
    report("dependency-version", version_, wanted_version_, findings);
  }

 private:
  // Whether only another version of the required package is present.
  bool has_other_version(const Clause& clause) const {
    for (const Relation& relation : clause.alternatives) {
      Relation whatever = relation;
      whatever.test = VersionTest::any;
      for (const KnownDeb* other : debs_.after.meant(whatever, deb_, RelationUse::dependency)) {
        if (other->name == relation.name) return true;
      }
    }
    return false;
  }

  void add(std::string_view field, const Clause& clause) {
    const bool is_version = has_other_version(clause);
    std::vector<Evidence>& evidence = is_version ? version_ : missing_;
    std::vector<std::string>& wanted = is_version ? wanted_version_ : wanted_missing_;
    evidence.push_back({std::string(field), 0, to_text(clause)});
    for (const Relation& relation : clause.alternatives) describe(relation, evidence);
    if (std::find(wanted.begin(), wanted.end(), to_text(clause)) == wanted.end()) {
      wanted.push_back(to_text(clause));
    }
  }

  void describe(const Relation& relation, std::vector<Evidence>& evidence) const {
    bool is_known = false;
    for (const KnownDeb* other : debs_.after.named(relation.name)) {
      evidence.push_back({other->of_bundle() ? "bundle" : "target", 0, presence(*other, deb_)});
      is_known = true;
    }
    for (const KnownDeb* other : debs_.after.providing(relation.name)) {
      evidence.push_back({other->of_bundle() ? "bundle" : "target", 0,
                          format("{} and provides {}", presence(*other, deb_), relation.name)});
      is_known = true;
    }
    for (const Removal& removal : debs_.removals) {
      if (removal.gone->name != relation.name) continue;
      evidence.push_back(
          {"target", 0,
           format("{} is removed in favour of {}", removal.gone->label(), removal.by->label())});
      is_known = true;
    }
    if (const Package* package = unchosen(inventory_, debs_, relation)) {
      evidence.push_back({package->path, 0,
                          format("the bundle has {} {}, but it is not selected", package->name,
                                 package->version)});
      is_known = true;
    }
    if (!is_known) {
      evidence.push_back({"target", 0, format("{} is not installed", relation.name)});
    }
  }

  void report(std::string_view id, const std::vector<Evidence>& evidence,
              const std::vector<std::string>& wanted, Findings& findings) const {
    if (evidence.empty()) return;
    Finding finding = make_finding(id, deb_.package->path, evidence);
    finding.remedy.text = format("Add {} for {} to the bundle, or install it on the target first.",
                                 joined(wanted, ", "), deb_.architecture);
    findings.push_back(std::move(finding));
  }

  const KnownDeb& deb_;
  const ComparedDebs& debs_;
  const Inventory& inventory_;
  std::vector<Evidence> missing_;
  std::vector<Evidence> version_;
  std::vector<std::string> wanted_missing_;
  std::vector<std::string> wanted_version_;
};

// --- installed packages that lose a dependency

// A package of the target that disappears, and the deb of the bundle that causes it.
struct Loss {
  const KnownDeb* gone = nullptr;
  const KnownDeb* by = nullptr;
};

using Losses = std::multimap<std::string_view, Loss>;  // by each name it had or provided

void add_loss(Losses& losses, const Loss& loss) {
  losses.emplace(loss.gone->name, loss);
  for (const Clause& clause : loss.gone->provides) {
    for (const Relation& relation : clause.alternatives) losses.emplace(relation.name, loss);
  }
}

Losses losses_of(const ComparedDebs& debs) {
  Losses losses;
  for (const KnownDeb* installed : debs.target) {
    if (const KnownDeb* by = debs.replacement(*installed)) add_loss(losses, {installed, by});
  }
  return losses;
}

const Loss* loss_in(const Clause& clause, const Losses& losses) {
  for (const Relation& relation : clause.alternatives) {
    const auto found = losses.find(relation.name);
    if (found != losses.end()) return &found->second;
  }
  return nullptr;
}

void check_installed(const ComparedDebs& debs, Findings& findings) {
  const Losses losses = losses_of(debs);
  if (losses.empty()) return;
  std::map<std::string, std::vector<Evidence>> by_path;
  for (const KnownDeb* installed : debs.target) {
    if (!installed->is_configured || debs.replacement(*installed) || debs.is_removed(*installed)) {
      continue;
    }
    for (const Clause& clause : installed->depends) {
      const Loss* loss = loss_in(clause, losses);
      if (loss == nullptr || !debs.before.is_met(clause, *installed) ||
          debs.after.is_met(clause, *installed)) {
        continue;
      }
      by_path[loss->by->package->path].push_back(
          {format("Depends of {}", installed->label()), 0,
           format("{}; {} is replaced by {}", to_text(clause), loss->gone->label(),
                  loss->by->label())});
    }
  }
  for (auto& [path, evidence] : by_path) {
    findings.push_back(make_finding("breaks-installed", path, shortened(std::move(evidence))));
  }
}

}  // namespace

void check_dependencies(const ComparedDebs& debs, const Inspection& inspection,
                        Findings& findings) {
  for (const KnownDeb* deb : debs.bundle) {
    if (!deb->is_native) continue;
    Unmet unmet(*deb, debs, inspection.inventory);
    unmet.look_at("Pre-Depends", deb->pre_depends);
    unmet.look_at("Depends", deb->depends);
    unmet.report(findings);
  }
  check_installed(debs, findings);
}

}  // namespace topsctl
