// Files that two packages have: of bundle and target, and within the bundle.
#include "engine/compatibility/file_clashes.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

// Prefixes that are the same directory with and without /usr on a merged system.
constexpr std::string_view merged_folders[] = {"/bin/",   "/sbin/",  "/lib/",
                                               "/lib32/", "/lib64/", "/libx32/"};

bool is_in_merged_folder(std::string_view path) {
  return std::any_of(std::begin(merged_folders), std::end(merged_folders),
                     [&](std::string_view folder) { return path.starts_with(folder); });
}

constexpr std::string_view usr = "/usr";

// One name for both spellings of a path.
std::string_view canonical(std::string_view path, bool is_merged) {
  if (is_merged && path.starts_with(usr) && is_in_merged_folder(path.substr(usr.size()))) {
    return path.substr(usr.size());
  }
  return path;
}

// The other spelling; empty: none.
std::string alias(const std::string& path) {
  if (path.starts_with(usr) && is_in_merged_folder(std::string_view(path).substr(usr.size()))) {
    return path.substr(usr.size());
  }
  return is_in_merged_folder(path) ? concat(usr, path) : std::string();
}

bool is_payload_file(const PayloadEntry& entry) {
  return entry.type != PayloadEntry::Type::directory && !entry.path.empty();
}

// A conflict removes one of them, or is a separate finding.
bool exclude_each_other(const KnownDeb& a, const KnownDeb& b) {
  const DebSet only_a({&a});
  const DebSet only_b({&b});
  const auto excludes = [](const KnownDeb& by, const DebSet& other) {
    for (const Clause& clause : by.conflicts) {
      for (const Relation& relation : clause.alternatives) {
        if (!other.meant(relation, by, RelationUse::exclusion).empty()) return true;
      }
    }
    return false;
  };
  return excludes(a, only_b) || excludes(b, only_a);
}

// Whether a text contains a path, and not only a longer one.
bool names(std::string_view text, std::string_view path) {
  constexpr std::string_view further =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-/~";
  for (auto at = text.find(path); at != std::string_view::npos; at = text.find(path, at + 1)) {
    const std::size_t end = at + path.size();
    if (end == text.size() || further.find(text[end]) == std::string_view::npos) return true;
  }
  return false;
}

enum class Diverting { no, perhaps, yes };

// Whether a package's preinst diverts (dpkg-divert(1)) a file before dpkg unpacks the package's
// own, as drivers do. Unknown in advance if it does so in a loop.
Diverting diverting_by_preinst(const KnownDeb& deb, std::string_view path) {
  if (deb.package == nullptr || !deb.package->deb) return Diverting::no;
  for (const MaintainerScript& script : deb.package->deb->scripts) {
    if (script.name != "preinst" || script.text.find("dpkg-divert") == std::string::npos) continue;
    return names(script.text, path) ? Diverting::yes : Diverting::perhaps;
  }
  return Diverting::no;
}

// Whether a package takes over a configuration file that its owner's version no longer has: dpkg
// permits it (tarobject() in its archive.c).
bool takes_over_conffile(const KnownDeb& deb, const KnownDeb& owner, const std::string& path) {
  const auto holds = [&](const std::vector<std::string>& paths) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  };
  return owner.target != nullptr && holds(owner.target->obsolete_conffiles) && deb.package->deb &&
         holds(deb.package->deb->conffiles);
}

// "libc6:amd64" -> "libc6"
std::string_view plain_name(std::string_view owner) {
  return owner.substr(0, owner.find(':'));
}

class ClashFinder {
 public:
  ClashFinder(const ComparedDebs& debs, const TargetSnapshot& target)
      : debs_(debs), target_(target), is_merged_(is_usr_merged(target)) {
    for (const KnownDeb* installed : debs.target) installed_.emplace(installed->name, installed);
    for (const Diversion& diversion : target.diversions) {
      diverted_.emplace(diversion.from, diversion.package);
    }
    for (const TargetPackage& package : target.packages) {
      if (package.status.state == DpkgState::config_files) configured_only_.insert(package.name);
    }
  }

  FileClashes clashes() {
    index_bundle();
    for (const KnownDeb* deb : debs_.bundle) {
      if (!deb->package->files) continue;
      for (const PayloadEntry& entry : *deb->package->files) {
        if (!is_payload_file(entry)) continue;
        look_up(*deb, entry.path, entry.path);
        if (!is_merged_) continue;
        if (const std::string other = alias(entry.path); !other.empty()) {
          look_up(*deb, entry.path, other);
        }
      }
    }
    return std::move(clashes_);
  }

 private:
  using Key = std::pair<const KnownDeb*, std::string_view>;

  void index_bundle() {
    std::size_t count = 0;
    for (const KnownDeb* deb : debs_.bundle) {
      if (deb->package->files) count += deb->package->files->size();
    }
    in_bundle_.reserve(count);
    for (const KnownDeb* deb : debs_.bundle) {
      if (!deb->package->files) continue;
      for (const PayloadEntry& entry : *deb->package->files) {
        if (!is_payload_file(entry)) continue;
        const auto [place, is_first] = in_bundle_.emplace(canonical(entry.path, is_merged_), deb);
        if (is_first || place->second == deb) continue;
        std::vector<const KnownDeb*>& others = also_in_[place->first];
        if (!others.empty() && others.back() == deb) continue;
        look_at_pair(*place->second, *deb, entry.path);
        for (const KnownDeb* other : others) look_at_pair(*other, *deb, entry.path);
        others.push_back(deb);
      }
    }
  }

  bool is_in(const KnownDeb& deb, std::string_view path) const {
    const std::string_view key = canonical(path, is_merged_);
    const auto first = in_bundle_.find(key);
    if (first == in_bundle_.end()) return false;
    if (first->second == &deb) return true;
    const auto others = also_in_.find(key);
    return others != also_in_.end() &&
           std::find(others->second.begin(), others->second.end(), &deb) != others->second.end();
  }

  // The package whose files are not diverted; nothing: no package diverts the path.
  std::optional<std::string_view> diverting(const std::string& path) const {
    const auto found = diverted_.find(path);
    if (found == diverted_.end() || found->second == ":") return std::nullopt;
    return found->second;
  }

  bool is_kept_apart(const KnownDeb& a, const KnownDeb& b, const std::string& path) const {
    const auto by = diverting(path);
    return by && (*by == a.name || *by == b.name);
  }

  // The relation between two packages, computed once per pair.
  bool is_settled(const KnownDeb& a, const KnownDeb& b) {
    const auto [place, is_new] = settled_.emplace(std::pair(&a, &b), false);
    if (is_new) {
      place->second = is_replaced(a, b) || is_replaced(b, a) || exclude_each_other(a, b);
    }
    return place->second;
  }

  void look_at_pair(const KnownDeb& a, const KnownDeb& b, const std::string& path) {
    if (is_settled(a, b) || is_kept_apart(a, b, path)) return;
    if (may_be_diverted(a, b, path) || may_be_diverted(b, a, path)) return;
    clashes_.in_bundle[{&a, &b}].push_back(
        {path, 0, format("in {} and in {}", a.label(), b.label())});
  }

  // Records conflicts that only the install can decide.
  bool may_be_diverted(const KnownDeb& deb, const KnownDeb& other, const std::string& path) {
    const Diverting diverting = diverting_by_preinst(deb, path);
    if (diverting == Diverting::perhaps) {
      clashes_.unless_diverted[{&deb, &other}].push_back(
          {path, 0, format("also belongs to {}; the preinst adds diversions", other.label())});
    }
    return diverting != Diverting::no;
  }

  void look_up(const KnownDeb& deb, const std::string& path, const std::string& there) {
    const auto owners = target_.owners.find(there);
    if (owners == target_.owners.end()) return;
    for (const std::string& owner : owners->second) {
      const std::string_view name = plain_name(owner);
      if (name == deb.name || configured_only_.contains(name)) continue;
      const auto installed = installed_.find(name);
      if (installed == installed_.end()) continue;
      look_at(deb, *installed->second, path, there);
    }
  }

  void look_at(const KnownDeb& deb, const KnownDeb& owner, const std::string& path,
               const std::string& there) {
    if (debs_.is_removed(owner) || is_kept_apart(deb, owner, there)) return;
    if (const KnownDeb* next = debs_.replacement(owner)) {
      // A file that the new version also has is a conflict within the bundle only.
      if (!is_in(*next, path) && !is_settled(owner, deb)) {
        clashes_.handovers.push_back({next, &deb, path});
      }
      return;
    }
    if (is_settled(owner, deb) || takes_over_conffile(deb, owner, there)) return;
    if (may_be_diverted(deb, owner, there)) return;
    std::string text = format("belongs to {}, which is installed", owner.label());
    if (path != there) {
      text += format(" and lists it as {}: dpkg would overwrite it silently", there);
    }
    clashes_.with_installed[{&deb, &owner}].push_back({path, 0, std::move(text)});
  }

  const ComparedDebs& debs_;
  const TargetSnapshot& target_;
  bool is_merged_;
  FileClashes clashes_;
  std::unordered_map<std::string_view, const KnownDeb*> installed_;
  std::unordered_map<std::string_view, std::string_view> diverted_;
  std::set<std::string_view> configured_only_;
  std::unordered_map<std::string_view, const KnownDeb*> in_bundle_;
  std::unordered_map<std::string_view, std::vector<const KnownDeb*>> also_in_;
  std::map<std::pair<const KnownDeb*, const KnownDeb*>, bool> settled_;
};

std::vector<Evidence> sorted(std::vector<Evidence> evidence) {
  std::sort(evidence.begin(), evidence.end(),
            [](const Evidence& a, const Evidence& b) { return a.source < b.source; });
  return shortened(std::move(evidence));
}

}  // namespace

bool FileClashes::Pair::operator<(const Pair& right) const {
  const auto key = [](const Pair& pair) {
    return std::tie(pair.deb->name, pair.deb->version, pair.other->name, pair.other->architecture);
  };
  return key(*this) < key(right);
}

bool is_usr_merged(const TargetSnapshot& target) {
  // base-files of newer releases ships /lib as a link; owners lists files and links, not
  // directories.
  if (target.owners.contains("/lib") || target.owners.contains("/bin")) return true;
  for (const TargetPackage& package : target.packages) {
    if ((package.name == "usr-is-merged" || package.name == "usrmerge") &&
        has_files(package.status)) {
      return true;
    }
  }
  // The loader may use /lib for a file that its package names by /usr/lib.
  return std::any_of(
      target.libraries.begin(), target.libraries.end(), [&](const CachedLibrary& library) {
        return library.path.starts_with("/lib") && !target.owners.contains(library.path) &&
               target.owners.contains(concat(usr, library.path));
      });
}

FileClashes file_clashes(const ComparedDebs& debs, const TargetSnapshot& target) {
  return ClashFinder(debs, target).clashes();
}

void check_files(const FileClashes& clashes, const std::vector<const KnownDeb*>& order,
                 Findings& findings) {
  std::unordered_map<const KnownDeb*, std::size_t> place;
  for (std::size_t i = 0; i < order.size(); ++i) place.emplace(order[i], i);

  for (const auto& [pair, evidence] : clashes.with_installed) {
    findings.push_back(make_finding("file-conflict", pair.deb->package->path, sorted(evidence)));
  }
  for (const auto& [pair, evidence] : clashes.unless_diverted) {
    findings.push_back(
        make_finding("file-conflict-unless-diverted", pair.deb->package->path, sorted(evidence)));
  }
  std::map<FileClashes::Pair, std::vector<Evidence>> early;
  for (const FileTakeover& handover : clashes.handovers) {
    if (place.at(handover.to) > place.at(handover.from)) continue;
    early[{handover.to, handover.from}].push_back(
        {handover.path, 0,
         format("belongs to the installed {}; its new version drops the file but is installed "
                "later, because it depends on {}",
                handover.from->name, handover.to->name)});
  }
  for (const auto& [pair, evidence] : early) {
    findings.push_back(make_finding("file-conflict", pair.deb->package->path, sorted(evidence)));
  }
  for (const auto& [pair, evidence] : clashes.in_bundle) {
    const bool is_later = place.at(pair.deb) > place.at(pair.other);
    const KnownDeb& subject = is_later ? *pair.deb : *pair.other;
    findings.push_back(
        make_finding("file-conflict-in-bundle", subject.package->path, sorted(evidence)));
  }
}

}  // namespace topsctl
