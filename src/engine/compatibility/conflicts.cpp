// Breaks and Conflicts: packages that dpkg rejects, and the resulting order.
#include "engine/compatibility/conflicts.hpp"

#include <algorithm>
#include <map>

#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

struct Exclusion {
  std::string_view field;
  const Relation* relation = nullptr;
  const KnownDeb* other = nullptr;
};

void add_exclusions(const KnownDeb& by, std::string_view field, const std::vector<Clause>& clauses,
                    const DebSet& set, std::vector<Exclusion>& found) {
  for (const Clause& clause : clauses) {
    for (const Relation& relation : clause.alternatives) {
      for (const KnownDeb* other : set.meant(relation, by, RelationUse::exclusion)) {
        found.push_back({field, &relation, other});
      }
    }
  }
}

// The debs of the set that exclude this deb.
std::vector<Exclusion> exclusions(const KnownDeb& by, const DebSet& set) {
  std::vector<Exclusion> found;
  add_exclusions(by, "Conflicts", by.conflicts, set, found);
  add_exclusions(by, "Breaks", by.breaks, set, found);
  return found;
}

// Why dpkg does not remove the installed package by itself.
std::string why_it_stays(const Exclusion& exclusion, const ComparedDebs& debs,
                         const KnownDeb& deb) {
  const KnownDeb& installed = *exclusion.other;
  if (exclusion.field == "Breaks") {
    return format("dpkg would have to deconfigure {}, which requires --auto-deconfigure",
                  installed.name);
  }
  const auto needed = debs.needed_by.find(&installed);
  if (needed != debs.needed_by.end()) {
    return format("dpkg will not remove it in favour of {}: {} depends on it", deb.name,
                  needed->second);
  }
  return format("dpkg removes {} automatically only if {} also lists it in Replaces",
                installed.name, deb.name);
}

class Conflicts {
 public:
  explicit Conflicts(const ComparedDebs& debs) : debs_(debs), bundle_(debs.bundle) {}

  void report(Findings& findings) {
    for (const KnownDeb* deb : debs_.bundle) from_bundle(*deb);
    for (const KnownDeb* installed : debs_.target) {
      if (debs_.replacement(*installed) == nullptr && !debs_.is_removed(*installed)) {
        from_target(*installed);
      }
    }
    for (auto& [key, evidence] : found_) {
      findings.push_back(make_finding(key.first, key.second, shortened(std::move(evidence))));
    }
  }

 private:
  void from_bundle(const KnownDeb& deb) {
    for (const Exclusion& exclusion : exclusions(deb, debs_.after)) {
      const KnownDeb& other = *exclusion.other;
      const std::string text = to_text(*exclusion.relation);
      if (other.of_bundle()) {
        add("conflicts-in-bundle", deb,
            {std::string(exclusion.field), 0,
             format("{}; the bundle has {} ({})", text, other.label(), other.package->path)});
      } else {
        add("conflicts-with-installed", deb,
            {std::string(exclusion.field), 0,
             format("{}; {} is installed; {}", text, other.label(),
                    why_it_stays(exclusion, debs_, deb))});
      }
    }
  }

  void from_target(const KnownDeb& installed) {
    for (const Exclusion& exclusion : exclusions(installed, bundle_)) {
      add("installed-breaks-package", *exclusion.other,
          {format("{} of {}", exclusion.field, installed.label()), 0,
           format("{}; the bundle has {}", to_text(*exclusion.relation),
                  exclusion.other->label())});
    }
  }

  void add(const std::string& id, const KnownDeb& deb, Evidence evidence) {
    found_[{id, deb.package->path}].push_back(std::move(evidence));
  }

  const ComparedDebs& debs_;
  DebSet bundle_;
  std::map<std::pair<std::string, std::string>, std::vector<Evidence>> found_;
};

}  // namespace

void check_conflicts(const ComparedDebs& debs, Findings& findings) {
  Conflicts(debs).report(findings);
}

Precedence exclusion_order(const ComparedDebs& debs) {
  Precedence order;
  std::vector<const KnownDeb*> replaced;
  for (const KnownDeb* installed : debs.target) {
    if (debs.replacement(*installed) != nullptr) replaced.push_back(installed);
  }
  const DebSet old(replaced);
  const DebSet bundle(debs.bundle);
  for (const KnownDeb* deb : debs.bundle) {
    for (const Exclusion& exclusion : exclusions(*deb, old)) {
      order.emplace(debs.replacement(*exclusion.other), deb);
    }
  }
  for (const KnownDeb* installed : replaced) {
    for (const Exclusion& exclusion : exclusions(*installed, bundle)) {
      order.emplace(debs.replacement(*installed), exclusion.other);
    }
  }
  // dpkg checks the dependents of a package before it removes it.
  for (const Removal& removal : debs.removals) {
    const DebSet gone({removal.gone});
    for (const KnownDeb* installed : replaced) {
      const bool is_dependent =
          std::any_of(installed->depends.begin(), installed->depends.end(),
                      [&](const Clause& clause) { return gone.is_met(clause, *installed); });
      if (is_dependent) order.emplace(debs.replacement(*installed), removal.by);
    }
  }
  return order;
}

}  // namespace topsctl
