// Judges each deb alone: architecture, compression, fields, and the installed version.
#include "engine/compatibility/package_changes.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

// Every dpkg reads these (deb(5)); the others depend on its version and build.
bool is_always_read(const std::string& compression) {
  return compression.empty() || compression == "none" || compression == "gzip" ||
         compression == "bzip2" || compression == "lzma";
}

void check_compression(const KnownDeb& deb, const TargetSnapshot& target, Findings& findings) {
  if (!deb.package->deb || target.dpkg_compressions.empty()) return;
  const std::string& compression = deb.package->deb->compression;
  const std::vector<std::string>& known = target.dpkg_compressions;
  if (is_always_read(compression) ||
      std::find(known.begin(), known.end(), compression) != known.end()) {
    return;
  }
  findings.push_back(make_finding(
      "dpkg-too-old", deb.package->path,
      {{"data.tar", 0, format("compressed with {}", compression)},
       {"target", 0,
        format("dpkg {} can unpack {}",
               target.dpkg_version.empty() ? "of unknown version" : target.dpkg_version,
               joined(known, ", "))}}));
}

void check_unfinished(const ComparedDebs& debs, const TargetSnapshot& target, Findings& findings) {
  std::vector<Evidence> others;
  for (const TargetPackage& package : target.packages) {
    if (!is_unfinished(package.status)) continue;
    const Evidence evidence{"target", 0,
                            format("{} {} is in state {}", package.name, package.version,
                                   in_quotes(to_text(package.status)))};
    const auto same = std::find_if(debs.bundle.begin(), debs.bundle.end(),
                                   [&](const KnownDeb* deb) { return deb->name == package.name; });
    if (same == debs.bundle.end()) {
      others.push_back(evidence);
    } else {
      findings.push_back(
          make_finding("package-half-installed", (*same)->package->path, {evidence}));
    }
  }
  if (others.empty()) return;
  std::sort(others.begin(), others.end(),
            [](const Evidence& a, const Evidence& b) { return a.text < b.text; });
  findings.push_back(
      make_finding("package-half-installed", "packages of the target", shortened(others)));
}

// dpkg removes even an essential package in favour of one that replaces it.
void check_removals(const ComparedDebs& debs, Findings& findings) {
  for (const Removal& removal : debs.removals) {
    const bool is_essential = removal.gone->target->essential;
    Finding finding = make_finding(
        "removes-installed", removal.by->package->path,
        {{"target", 0,
          format("{}{} is installed; dpkg removes it in favour of {}", removal.gone->label(),
                 is_essential ? ", which is essential," : "", removal.by->label())}});
    if (is_essential) finding.severity = Severity::error;
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void check_packages(const ComparedDebs& debs, const TargetSnapshot& target, Findings& findings) {
  for (const KnownDeb* deb : debs.bundle) {
    if (!deb->is_native) {
      findings.push_back(
          make_finding("architecture-differs", deb->package->path,
                       {{"Architecture", 0, deb->architecture},
                        {"target", 0, format("dpkg's architecture is {}", target.architecture)}}));
    }
    check_compression(*deb, target, findings);
  }
  check_unfinished(debs, target, findings);
  check_removals(debs, findings);
}

ChangeAction change_action(std::string_view now, std::string_view then,
                           int (*compare)(std::string_view, std::string_view)) {
  if (now.empty()) return ChangeAction::added;
  const int order = compare(now, then);
  if (order == 0) return ChangeAction::same;
  return order < 0 ? ChangeAction::upgrade : ChangeAction::downgrade;
}

std::vector<CompatibilityChange> deb_changes(const ComparedDebs& debs,
                                             const std::vector<const KnownDeb*>& order,
                                             Findings& findings) {
  std::unordered_map<const KnownDeb*, const KnownDeb*> installed;
  for (const auto& [old, deb] : debs.replaced_by) installed.emplace(deb, old);
  std::vector<CompatibilityChange> changes;
  for (const KnownDeb* deb : order) {
    const auto old = installed.find(deb);
    const std::string now = old == installed.end() ? "" : old->second->version;
    const ChangeAction action = change_action(now, deb->version, compare_debian_versions);
    changes.push_back({deb->index, "", now, deb->version, action});
    if (action != ChangeAction::downgrade) continue;
    findings.push_back(make_finding(
        "package-downgrade", deb->package->path,
        {{"target", 0,
          format("{} is installed, the package has {}", old->second->label(), deb->version)}}));
  }
  return changes;
}

}  // namespace topsctl
