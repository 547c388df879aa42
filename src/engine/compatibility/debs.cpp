// Converts the debs of bundle and target into one form, and finds those that satisfy a relation.
#include "engine/compatibility/debs.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/model/relation_parser.hpp"

namespace topsctl {

namespace {

std::string native(const std::string& architecture, const TargetSnapshot& target) {
  return architecture.empty() || architecture == "all" ? target.architecture : architecture;
}

void parse(const KnownDeb& deb, std::vector<Clause>& into, const std::string& value,
           const TargetSnapshot& target) {
  if (trimmed(value).empty()) return;
  try {
    into = parse_relations(value, deb.label(),
                           deb.of_bundle() ? RelationSource::package : RelationSource::status_file);
  } catch (const Error&) {
    // For a package of the bundle, reading it already reported the error; installed ones are not
    // judged.
    return;
  }
  for (Clause& clause : into) {
    std::erase_if(clause.alternatives, [&](const Relation& relation) {
      return !concerns_architecture(relation, target.architecture);
    });
  }
  std::erase_if(into, [](const Clause& clause) { return clause.alternatives.empty(); });
}

KnownDeb known_deb(const Package& package, std::size_t index, const TargetSnapshot& target) {
  KnownDeb deb;
  deb.package = &package;
  deb.index = index;
  deb.name = package.name;
  deb.version = package.version;
  deb.architecture = native(package.architecture, target);
  deb.is_native = target.architecture.empty() || deb.architecture == target.architecture;
  if (!package.deb) {
    parse(deb, deb.depends, joined(package.depends, ", "), target);
    return deb;
  }
  const DebFacts& facts = *package.deb;
  deb.multi_arch = facts.multi_arch;
  parse(deb, deb.pre_depends, facts.pre_depends, target);
  parse(deb, deb.depends, facts.depends, target);
  const bool has_both = !facts.recommends.empty() && !facts.suggests.empty();
  parse(deb, deb.optional, concat(facts.recommends, has_both ? ", " : "", facts.suggests), target);
  parse(deb, deb.breaks, facts.breaks, target);
  parse(deb, deb.conflicts, facts.conflicts, target);
  parse(deb, deb.replaces, facts.replaces, target);
  parse(deb, deb.provides, facts.provides, target);
  return deb;
}

KnownDeb known_deb(const TargetPackage& package, const TargetSnapshot& target) {
  KnownDeb deb;
  deb.target = &package;
  deb.name = package.name;
  deb.version = package.version;
  deb.architecture = native(package.architecture, target);
  deb.multi_arch = package.multi_arch;
  deb.is_configured = satisfies_dependencies(package.status);
  parse(deb, deb.depends, package.depends, target);
  parse(deb, deb.breaks, package.breaks, target);
  parse(deb, deb.conflicts, package.conflicts, target);
  parse(deb, deb.replaces, package.replaces, target);
  parse(deb, deb.provides, package.provides, target);
  return deb;
}

// dpkg's deparchsatisfied(): a qualifier names an architecture or "any", which Multi-Arch: allowed
// permits; without one a dependency means its own unless the other is Multi-Arch: foreign.
bool is_architecture_met(const Relation& relation, const KnownDeb& by, const KnownDeb& deb,
                         RelationUse use) {
  if (relation.architecture.empty()) {
    return use == RelationUse::exclusion || deb.multi_arch == "foreign" ||
           by.architecture == deb.architecture;
  }
  if (relation.architecture == "any") {
    return use == RelationUse::exclusion || deb.multi_arch == "allowed";
  }
  return relation.architecture == deb.architecture;
}

using Rank = std::tuple<std::size_t, const std::string&, const std::string&, const std::string&>;

Rank rank_of(const Package& package, const CompatibilityRules& rules) {
  const auto found =
      std::find(rules.component_order.begin(), rules.component_order.end(), package.component);
  return {static_cast<std::size_t>(found - rules.component_order.begin()), package.name,
          package.architecture, package.path};
}

bool is_better(const Package& a, const Package& b, const TargetSnapshot& target) {
  const bool fits_a = native(a.architecture, target) == target.architecture;
  const bool fits_b = native(b.architecture, target) == target.architecture;
  if (fits_a != fits_b) return fits_a;
  if (const int order = compare_debian_versions(a.version, b.version); order != 0) return order > 0;
  return a.path < b.path;
}

// Indices of the debs to install, in the bundle's order.
std::vector<std::size_t> taken_debs(const Inventory& inventory,
                                    const std::vector<std::size_t>& chosen,
                                    const TargetSnapshot& target, const CompatibilityRules& rules) {
  const std::vector<Package>& packages = inventory.packages;
  std::map<std::string_view, std::size_t> best;
  for (const std::size_t index : chosen) {
    const Package& package = packages.at(index);
    if (package.kind != PackageKind::deb) continue;
    const auto [place, is_first] = best.emplace(package.name, index);
    if (!is_first && is_better(package, packages[place->second], target)) place->second = index;
  }
  std::vector<std::size_t> taken;
  for (const auto& [name, index] : best) taken.push_back(index);
  std::sort(taken.begin(), taken.end(), [&](std::size_t a, std::size_t b) {
    return rank_of(packages[a], rules) < rank_of(packages[b], rules);
  });
  return taken;
}

bool may_be_removed(const KnownDeb& installed, const KnownDeb& by) {
  const DpkgWant want = installed.target->status.want;
  return want == DpkgWant::deinstall || want == DpkgWant::purge || is_replaced(installed, by);
}

bool excludes(const std::vector<Clause>& clauses, const KnownDeb& by, const DebSet& set,
              const KnownDeb& other) {
  for (const Clause& clause : clauses) {
    for (const Relation& relation : clause.alternatives) {
      const auto meant = set.meant(relation, by, RelationUse::exclusion);
      if (std::find(meant.begin(), meant.end(), &other) != meant.end()) return true;
    }
  }
  return false;
}

// dpkg's check_conflict(): a conflict, declared by either side, leads to the removal of the
// installed package if the new one replaces it or it is selected for removal.
void find_removals(ComparedDebs& debs) {
  const DebSet bundle(debs.bundle);
  for (const KnownDeb* installed : debs.target) {
    if (debs.replaced_by.contains(installed)) continue;
    const DebSet alone({installed});
    for (const KnownDeb* deb : debs.bundle) {
      if (!may_be_removed(*installed, *deb)) continue;
      if (excludes(deb->conflicts, *deb, alone, *installed) ||
          excludes(installed->conflicts, *installed, bundle, *deb)) {
        debs.removals.push_back({installed, deb});
        break;
      }
    }
  }
}

DebSet what_is_there_after(const ComparedDebs& debs) {
  std::vector<const KnownDeb*> after = debs.bundle;
  for (const KnownDeb* installed : debs.target) {
    if (debs.replacement(*installed) == nullptr && !debs.is_removed(*installed)) {
      after.push_back(installed);
    }
  }
  return DebSet(after);
}

// dpkg does not remove packages that remaining installed packages need (policy 7.2), except those
// that the bundle replaces.
void keep_what_is_needed(ComparedDebs& debs) {
  const DebSet after = what_is_there_after(debs);
  for (const Removal& removal : debs.removals) {
    const DebSet gone({removal.gone});
    for (const KnownDeb* installed : debs.target) {
      if (!installed->is_configured || debs.replacement(*installed) != nullptr ||
          debs.is_removed(*installed)) {
        continue;
      }
      for (const Clause& clause : installed->depends) {
        if (gone.is_met(clause, *installed) && !after.is_met(clause, *installed)) {
          debs.needed_by.emplace(removal.gone, installed->label());
        }
      }
    }
  }
  std::erase_if(debs.removals,
                [&](const Removal& removal) { return debs.needed_by.contains(removal.gone); });
}

}  // namespace

bool is_same_package(const KnownDeb& a, const KnownDeb& b) {
  if (a.name != b.name) return false;
  const bool beside =
      a.multi_arch == "same" && b.multi_arch == "same" && a.architecture != b.architecture;
  return !beside;
}

bool is_replaced(const KnownDeb& other, const KnownDeb& replacer) {
  for (const Clause& clause : replacer.replaces) {
    for (const Relation& relation : clause.alternatives) {
      if (relation.name == other.name && accepts(relation, other.version) &&
          is_architecture_met(relation, replacer, other, RelationUse::exclusion)) {
        return true;
      }
    }
  }
  return false;
}

DebSet::DebSet(const std::vector<const KnownDeb*>& debs) {
  entries_.reserve(debs.size() * 2);
  for (const KnownDeb* deb : debs) {
    entries_[deb->name].push_back({deb, nullptr});
    for (const Clause& clause : deb->provides) {
      for (const Relation& relation : clause.alternatives) {
        entries_[relation.name].push_back({deb, &relation});
      }
    }
  }
}

std::vector<const KnownDeb*> DebSet::meant(const Relation& relation, const KnownDeb& by,
                                           RelationUse use) const {
  std::vector<const KnownDeb*> found;
  const auto entries = entries_.find(relation.name);
  if (entries == entries_.end()) return found;
  for (const Entry& entry : entries->second) {
    const KnownDeb& deb = *entry.deb;
    // A package's own name and provides do not exclude itself (policy 7.4).
    if (use == RelationUse::exclusion && deb.name == by.name) continue;
    if (use == RelationUse::dependency && !deb.is_configured) continue;
    if (!is_architecture_met(relation, by, deb, use)) continue;
    const bool is_named_only =
        entry.provided != nullptr && entry.provided->test == VersionTest::any;
    const std::string& version = entry.provided == nullptr ? deb.version : entry.provided->version;
    if (relation.test != VersionTest::any && (is_named_only || !accepts(relation, version))) {
      continue;
    }
    if (std::find(found.begin(), found.end(), &deb) == found.end()) found.push_back(&deb);
  }
  return found;
}

bool DebSet::is_met(const Clause& clause, const KnownDeb& by) const {
  return std::any_of(clause.alternatives.begin(), clause.alternatives.end(),
                     [&](const Relation& relation) {
                       return !meant(relation, by, RelationUse::dependency).empty();
                     });
}

std::vector<const KnownDeb*> DebSet::named(std::string_view name) const {
  std::vector<const KnownDeb*> found;
  const auto entries = entries_.find(name);
  if (entries == entries_.end()) return found;
  for (const Entry& entry : entries->second) {
    if (entry.provided == nullptr) found.push_back(entry.deb);
  }
  return found;
}

std::vector<const KnownDeb*> DebSet::providing(std::string_view name) const {
  std::vector<const KnownDeb*> found;
  const auto entries = entries_.find(name);
  if (entries == entries_.end()) return found;
  for (const Entry& entry : entries->second) {
    if (entry.provided != nullptr && entry.deb->name != name) found.push_back(entry.deb);
  }
  return found;
}

const KnownDeb* ComparedDebs::replacement(const KnownDeb& installed) const {
  const auto found = replaced_by.find(&installed);
  return found == replaced_by.end() ? nullptr : found->second;
}

bool ComparedDebs::is_removed(const KnownDeb& installed) const {
  return std::any_of(removals.begin(), removals.end(),
                     [&](const Removal& removal) { return removal.gone == &installed; });
}

ComparedDebs debs_of(const Inspection& inspection, const std::vector<std::size_t>& chosen,
                     const TargetSnapshot& target, const CompatibilityRules& rules) {
  ComparedDebs debs;
  for (const std::size_t index : taken_debs(inspection.inventory, chosen, target, rules)) {
    debs.all.push_back(known_deb(inspection.inventory.packages[index], index, target));
    debs.bundle.push_back(&debs.all.back());
  }
  std::unordered_map<std::string_view, const KnownDeb*> by_name;
  for (const KnownDeb* deb : debs.bundle) by_name.emplace(deb->name, deb);
  for (const TargetPackage& package : target.packages) {
    if (package.status.state < DpkgState::half_installed) continue;
    debs.all.push_back(known_deb(package, target));
    const KnownDeb& installed = debs.all.back();
    debs.target.push_back(&installed);
    const auto same = by_name.find(installed.name);
    if (same != by_name.end() && is_same_package(installed, *same->second)) {
      debs.replaced_by.emplace(&installed, same->second);
    }
  }
  std::sort(debs.target.begin(), debs.target.end(), [](const KnownDeb* a, const KnownDeb* b) {
    return std::tie(a->name, a->architecture) < std::tie(b->name, b->architecture);
  });
  find_removals(debs);
  if (!debs.removals.empty()) keep_what_is_needed(debs);
  debs.before = DebSet(debs.target);
  debs.after = what_is_there_after(debs);
  return debs;
}

}  // namespace topsctl
