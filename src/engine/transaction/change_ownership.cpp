// Judges by names, dpkg's records and times.
#include "engine/transaction/change_ownership.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "engine/transaction/undo_paths.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using Kind = FileState::Type;

std::string folder_above(const std::string& path) {
  return fs::path(path).parent_path().string();
}

// "tops-sdk" of "info/tops-sdk.list" and "info/tops-sdk:amd64.list"; nothing for any other file.
std::optional<std::string> package_of_record(const std::string& path) {
  const auto rest = in_dpkg(path);
  constexpr std::string_view folder = "info/";
  if (!rest || !rest->starts_with(folder)) return std::nullopt;
  const std::string name = rest->substr(folder.size());
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  return name.substr(0, std::min(dot, name.find(':')));
}

std::string md5_of(const Inode& file, const std::string& shown) {
  const Descriptor content = file.open_file(O_RDONLY);
  std::string buffer(256U << 10U, '\0');
  Md5 digest;
  for (;;) {
    const ssize_t got = ::read(content.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", shown);
    if (got == 0) return digest.hex();
    digest.update({buffer.data(), static_cast<std::size_t>(got)});
  }
}

// The digest that dpkg recorded for a conffile; empty: none yet.
std::string noted_digest(const std::vector<TargetPackage>& packages, const std::string& path) {
  for (const TargetPackage& package : packages) {
    const auto noted = package.conffile_md5s.find(path);
    if (noted != package.conffile_md5s.end()) return noted->second;
  }
  return {};
}

constexpr unsigned first_user = 1000;  // policy 9.2.2
constexpr std::string_view alternatives_folder = "/etc/alternatives/";

// The name of the alternative to which this link or record belongs.
std::optional<std::string> group_of(const std::string& path) {
  if (path.starts_with(alternatives_folder)) return path.substr(alternatives_folder.size());
  constexpr std::string_view records = "alternatives/";
  const auto rest = in_dpkg(path);
  if (rest && rest->starts_with(records)) return rest->substr(records.size());
  return std::nullopt;
}

std::optional<std::string> group_behind(const FileState& link) {
  if (link.type != Kind::symlink) return std::nullopt;
  return group_of(link.target);
}

}  // namespace

struct ChangeOwnership::DpkgNow {
  std::vector<TargetPackage> packages;
  std::map<std::string, InstalledDeb> debs;  // ours
  bool was_configured_since = false;         // another program configured one of ours
};

FileStamp stamp_of(const FileTree& tree, const std::string& path) {
  const auto inode = tree.inode(path);
  if (!inode) return {};
  const timespec& changed = inode->status().st_ctim;
  return {inode->state(Content::ignore), changed.tv_sec * 1'000'000'000 + changed.tv_nsec};
}

ChangeOwnership::ChangeOwnership(const Host& host, const Transaction& transaction,
                                 const Snapshot& target_state, const fs::path& store,
                                 std::int64_t end_ns)
    : host_(host), tree_(host.root), target_state_(target_state), store_(store), end_ns_(end_ns) {
  patched_ = transaction.patched();
  if (!target_state.debs || !patched_.empty()) return;
  for (const std::string& name : *target_state.debs) debs_[name];
  for (const PackageChange& change : summary_of(transaction).packages) {
    if (change.kind == PackageKind::deb) debs_[change.name] = change.after.value_or("");
  }
  std::vector<Diversion> diversions = read_diversions(host);
  const std::string file = concat(dpkg_directory, "/diversions");
  if (const KeptPath* kept = kept_at(target_state, canonical_in_root(host.root, file))) {
    for (Diversion& each : parse_diversions(kept_text(*kept, store)))
      diversions.push_back(std::move(each));
  }
  for (const Diversion& each : diversions) {
    const std::string from = canonical_in_root(host.root, each.from);
    const std::string to = canonical_in_root(host.root, each.to);
    diverted_.emplace(from, to);
    diverted_.emplace(to, from);
  }
}

// For a diversion that does not belong to one of our packages: judged by the existing side, because
// a rename sets its change time.
bool ChangeOwnership::is_own_diversion(const std::string& from, const std::string& to) const {
  const std::string place = canonical_in_root(host_.root, to);
  const FileStamp looks[] = {stamp_of(tree_, canonical_in_root(host_.root, from)),
                             stamp_of(tree_, place)};
  return kept_at(target_state_, place) != nullptr &&
         std::any_of(std::begin(looks), std::end(looks),
                     [&](const FileStamp& look) { return is_early(look); }) &&
         std::none_of(std::begin(looks), std::end(looks), [&](const FileStamp& look) {
           return look.state.type != Kind::absent && is_late(look);
         });
}

bool ChangeOwnership::is_named(const std::string& path) const {
  const KeptPath* kept = kept_at(target_state_, path);
  return kept != nullptr && !kept->is_found;
}

const ChangeOwnership::DpkgNow& ChangeOwnership::dpkg_now() {
  if (dpkg_now_) return *dpkg_now_;
  auto now = std::make_shared<DpkgNow>();
  now->packages = read_packages(host_);
  std::vector<std::string> names;
  for (const auto& [name, version] : debs_) names.push_back(name);
  now->debs = read_debs(host_, now->packages, names);
  const bool is_written_since = is_late(stamp_of(tree_, dpkg_status_file));
  for (const auto& [name, deb] : now->debs) {
    if (is_written_since && is_installed(deb.status) && deb.version == debs_[name])
      now->was_configured_since = true;
  }
  dpkg_now_ = std::move(now);
  return *dpkg_now_;
}

Owner ChangeOwnership::owner(const KeptPath& kept, const FileStamp& look, bool is_unpacked) {
  if (const auto patched = patched_.find(kept.path); patched != patched_.end()) {
    const bool is_ours = tree_.state(kept.path, Content::digest).sha256 == patched->second;
    return is_ours ? Owner::us : Owner::both;
  }
  if (const auto package = package_of_record(kept.path))
    return debs_.contains(*package) ? Owner::us : Owner::others;
  if (const auto owner = owner_of_alternative(kept.path, look)) return *owner;
  for (const FileState* link : {&kept.state, &look.state}) {
    if (const auto group = group_behind(*link); group && kept.is_found)
      return is_early(look) ? Owner::us : owner_of_group(*group);
  }
  if (is_byte_code(kept.path) &&
      (kept.state.type == Kind::absent || is_code_of_kept(target_state_, kept.path)))
    return Owner::us;
  if (changes_by_itself(kept.path)) return is_late(look) ? Owner::nobody : Owner::us;
  return kept.is_found ? owner_of_found(kept, look) : owner_of_named(kept, look, is_unpacked);
}

// Only the time of the directory shows who removed an entry; in the transaction's own directories,
// the transaction did.
Owner ChangeOwnership::owner_of_found(const KeptPath& kept, const FileStamp& look) const {
  if (look.state.type != Kind::absent) return is_late(look) ? Owner::others : Owner::us;
  if (const auto other = diverted_.find(kept.path); other != diverted_.end()) {
    const FileStamp there = stamp_of(tree_, other->second);
    if (there.state.type != Kind::absent) return is_late(there) ? Owner::others : Owner::us;
  }
  const std::string folder = folder_above(kept.path);
  const bool is_ours = std::any_of(
      target_state_.families.begin(), target_state_.families.end(),
      [&](const PathFamily& family) { return family.is_own && family.directory == folder; });
  return is_ours || !is_late(stamp_of(tree_, folder)) ? Owner::us : Owner::others;
}

// Changing attributes or linking does not change the content: this uses the time of the content.
Owner ChangeOwnership::owner_of_named(const KeptPath& kept, const FileStamp& look,
                                      bool is_unpacked) {
  const bool has_content = look.state.type == Kind::file || look.state.type == Kind::symlink;
  if (!has_content || look.state.mtime_ns <= end_ns_) return Owner::us;
  const DpkgNow& now = dpkg_now();
  std::string md5;
  if (const auto inode = tree_.inode(kept.path); inode && look.state.type == Kind::file)
    md5 = md5_of(*inode, kept.path);
  const std::string recorded = concat(md5, "  ", kept.path.substr(1));
  bool is_conffile = false;
  for (const auto& [name, deb] : now.debs) {
    if (!md5.empty() && deb.md5sums.find(recorded) != std::string::npos) return Owner::us;
    is_conffile = is_conffile || std::find(deb.conffiles.begin(), deb.conffiles.end(), kept.path) !=
                                     deb.conffiles.end();
  }
  if (!md5.empty() && noted_digest(now.packages, kept.path) == md5) return Owner::us;
  if (is_conffile) return was_conffile_touched(kept.path) ? Owner::both : Owner::others;
  return !is_unpacked && now.was_configured_since ? Owner::us : Owner::both;
}

// dpkg records the digest of a package's conffile after it has installed it, or asked about it.
bool ChangeOwnership::was_conffile_touched(const std::string& path) const {
  const KeptPath* kept = kept_at(target_state_, dpkg_status_file);
  const std::string before = kept == nullptr ? "" : kept_text(*kept, store_);
  return noted_digest(parse_packages(before), path) != noted_digest(dpkg_now_->packages, path);
}

std::optional<Owner> ChangeOwnership::owner_of_alternative(const std::string& path,
                                                           const FileStamp& look) {
  const auto group = group_of(path);
  if (!group) return std::nullopt;
  return is_early(look) ? Owner::us : owner_of_group(*group);
}

// The target of an alternative's link, before or now; links of slaves have no record.
bool ChangeOwnership::is_own_choice(const std::string& name) const {
  const std::string path = concat(alternatives_folder, name);
  const KeptPath* kept = kept_at(target_state_, path);
  return (kept != nullptr && is_named(kept->state.target)) ||
         is_named(tree_.state(path, Content::ignore).target);
}

// Judged by the owners of its choices, before and now.
Owner ChangeOwnership::owner_of_group(const std::string& group) {
  const auto [known, is_new] = groups_.try_emplace(group, Owner::others);
  if (!is_new) return known->second;
  const std::string path = concat(dpkg_directory, "/alternatives/", group);
  const KeptPath* kept = kept_at(target_state_, path);
  const std::string before = kept == nullptr ? "" : kept_text(*kept, store_);
  const std::string now = read_text_if_present(host_.resolve(path)).value_or("");
  if (before.empty() && now.empty()) {
    if (is_own_choice(group)) known->second = Owner::us;
    return known->second;
  }
  bool is_ours = false;
  bool is_theirs = false;
  const std::vector<std::string> lines_before = split(before, '\n');
  const std::vector<std::string> lines_now = split(now, '\n');
  const auto judge = [&](const std::vector<std::string>& lines,
                         const std::vector<std::string>& others) {
    for (const std::string& line : lines) {
      if (!line.starts_with('/') || std::count(others.begin(), others.end(), line) > 0) continue;
      (is_named(line) ? is_ours : is_theirs) = true;
    }
  };
  judge(lines_now, lines_before);
  judge(lines_before, lines_now);
  // Another choice only.
  if (!is_ours && !is_theirs) {
    is_ours = std::any_of(lines_now.begin(), lines_now.end(),
                          [&](const std::string& line) { return is_named(line); });
  }
  if (is_ours) known->second = is_theirs ? Owner::both : Owner::us;
  return known->second;
}

bool ChangeOwnership::created_by_us(const std::string& path, const FileStamp& look) {
  if (const auto package = package_of_record(path)) return debs_.contains(*package);
  const auto rest = in_dpkg(path);
  if (rest && rest->starts_with("updates/")) {
    if (!is_late(look)) return true;
    throw Error(ErrorCode::host_unfit,
                "dpkg was interrupted afterwards and has not finished its last operation",
                "nothing was changed; run `dpkg --configure -a`, then rerun the same command");
  }
  if (const auto owner = owner_of_alternative(path, look)) return *owner != Owner::others;
  const std::string name = fs::path(path).filename().string();
  if (is_byte_code(path) || name.starts_with(".topsctl-")) return true;
  const std::string_view bare = path_beside(path);
  if (!bare.empty() && is_named(std::string(bare))) return true;
  const std::string folder = folder_above(path);
  if (const KeptPath* above = kept_at(target_state_, folder);
      above != nullptr && above->state.type == Kind::directory) {
    const auto covers = [&](const PathFamily& family) {
      return family.directory == folder && name.starts_with(family.prefix);
    };
    const bool is_only_own =
        std::all_of(target_state_.families.begin(), target_state_.families.end(),
                    [&](const PathFamily& family) { return !covers(family) || family.is_own; });
    // Programs of the packages write there too, as the user who runs them.
    if (is_only_own && look.state.uid >= first_user) return false;
  }
  return !is_late(look);
}

std::string ChangeOwnership::without(const std::string& path, const std::string& before,
                                     const FileStamp& look,
                                     std::vector<std::string>& conflicts) const {
  const std::string now = read_text(host_.join_canonical(path), 1ULL << 30U);
  const std::string rest = in_dpkg(path).value_or("");
  if (rest == "status") {
    DpkgMerge merge = status_without(debs_, before, now);
    for (const std::string& package : merge.conflicts)
      conflicts.push_back(format("package {}", package));
    return std::move(merge.text);
  }
  const bool was_early = is_early(look);
  if (rest == "diversions") {
    const auto is_own = [&](std::string_view record) {
      const std::vector<std::string> lines = split(std::string(record), '\n');
      const std::string package = lines.size() > 2 ? lines[2] : std::string();
      if (debs_.contains(package) || was_early) return true;
      return lines.size() > 2 && is_own_diversion(lines[0], lines[1]);
    };
    return records_without(is_own, before, now, 3);
  }
  const auto is_own = [&](std::string_view record) {
    const std::string line(trimmed(record));
    if (rest == "statoverride") {
      const auto path_at = line.find('/');
      return was_early || (path_at != std::string::npos && is_named(line.substr(path_at)));
    }
    const std::string package = line.substr(line.rfind(' ') + 1);
    // "NAME:ARCHITECTURE/noawait", the architecture only of Multi-Arch: same.
    return debs_.contains(package.substr(0, package.find_first_of(":/")));
  };
  return records_without(is_own, before, now, 1);
}

}  // namespace topsctl
