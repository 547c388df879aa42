// Walks through the entries of a deb in the order in which dpkg unpacks them.
#include "topsctl/engine/inspection/missing_folders.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/evidence_list.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

constexpr const char* id = "folder-entry-missing";

// Of base-files and other essential packages.
constexpr std::string_view base_folders[] = {"/bin",
                                             "/boot",
                                             "/dev",
                                             "/etc",
                                             "/etc/alternatives",
                                             "/etc/default",
                                             "/etc/init.d",
                                             "/etc/ld.so.conf.d",
                                             "/etc/profile.d",
                                             "/home",
                                             "/lib",
                                             "/lib/aarch64-linux-gnu",
                                             "/lib/x86_64-linux-gnu",
                                             "/media",
                                             "/mnt",
                                             "/opt",
                                             "/proc",
                                             "/root",
                                             "/run",
                                             "/sbin",
                                             "/srv",
                                             "/sys",
                                             "/tmp",
                                             "/usr",
                                             "/usr/bin",
                                             "/usr/games",
                                             "/usr/include",
                                             "/usr/lib",
                                             "/usr/lib/aarch64-linux-gnu",
                                             "/usr/lib/x86_64-linux-gnu",
                                             "/usr/local",
                                             "/usr/local/bin",
                                             "/usr/local/include",
                                             "/usr/local/lib",
                                             "/usr/local/sbin",
                                             "/usr/local/share",
                                             "/usr/local/src",
                                             "/usr/sbin",
                                             "/usr/share",
                                             "/usr/share/doc",
                                             "/usr/share/info",
                                             "/usr/share/man",
                                             "/usr/share/man/man1",
                                             "/usr/share/man/man5",
                                             "/usr/share/man/man8",
                                             "/usr/share/misc",
                                             "/usr/src",
                                             "/var",
                                             "/var/backups",
                                             "/var/cache",
                                             "/var/lib",
                                             "/var/local",
                                             "/var/log",
                                             "/var/mail",
                                             "/var/opt",
                                             "/var/spool",
                                             "/var/tmp"};

class Unpacking {
 public:
  Unpacking(const std::vector<PayloadEntry>& files, const FolderTest& exists) : exists_(exists) {
    for (const PayloadEntry& entry : files) {
      if (entry.type == PayloadEntry::Type::symlink) links_.insert(entry.path);
    }
  }

  void unpack(const PayloadEntry& entry) {
    const std::string folder = entry.path.substr(0, entry.path.rfind('/'));
    // Report each directory once: further entries add no information.
    if (!folder.empty() && !made_.contains(folder) && !exists_(folder) && !is_behind_link(folder)) {
      evidence_.add(folder, format("{} needs it", entry.path));
      made_.insert(folder);
    }
    if (entry.type == PayloadEntry::Type::directory) made_.insert(entry.path);
  }
  const EvidenceList& evidence() const { return evidence_; }

 private:
  // That is a separate finding, link-escapes.
  bool is_behind_link(std::string folder) const {
    for (; !folder.empty(); folder.resize(folder.rfind('/'))) {
      if (links_.contains(folder)) return true;
    }
    return false;
  }

  const FolderTest& exists_;
  std::set<std::string> made_;
  std::set<std::string> links_;
  EvidenceList evidence_;
};

}  // namespace

bool is_base_folder(const std::string& path) {
  return std::find(std::begin(base_folders), std::end(base_folders), path) !=
         std::end(base_folders);
}

FolderTest folders_of(const TargetSnapshot& target) {
  return [&target](const std::string& path) {
    if (is_base_folder(path)) return true;
    const auto at = target.owners.lower_bound(path);
    if (at != target.owners.end() && at->first == path) return true;
    const std::string below = concat(path, "/");
    const auto inside = target.owners.lower_bound(below);
    return inside != target.owners.end() && inside->first.starts_with(below);
  };
}

std::optional<Finding> missing_folders(const Package& package, const FolderTest& exists) {
  if (package.kind != PackageKind::deb || !package.files || package.files_are_claims)
    return std::nullopt;
  Unpacking unpacking(*package.files, exists);
  for (const bool are_links : {false, true}) {
    for (const PayloadEntry& entry : *package.files) {
      if ((entry.type == PayloadEntry::Type::symlink) == are_links) unpacking.unpack(entry);
    }
  }
  if (unpacking.evidence().is_empty()) return std::nullopt;
  return make_finding(id, package.path, unpacking.evidence().pieces());
}

void settle_missing_folders(std::vector<Finding>& findings, const std::vector<Package>& packages,
                            const FolderTest& exists) {
  std::vector<std::string> subjects;
  for (const Finding& finding : findings) {
    if (finding.id == id) subjects.push_back(finding.subject);
  }
  std::erase_if(findings, [](const Finding& finding) { return finding.id == id; });
  for (const Package& package : packages) {
    if (std::find(subjects.begin(), subjects.end(), package.path) == subjects.end()) continue;
    if (auto finding = missing_folders(package, exists)) findings.push_back(std::move(*finding));
  }
  sort_findings(findings);
}

}  // namespace topsctl
