// Compares the changed paths with the backup.
#include "topsctl/engine/transaction/unexpected_changes.hpp"

#include <algorithm>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/folder_record.hpp"
#include "topsctl/host/filesystem/change_scan.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

UnexpectedChanges unexpected_changes(const Host& host, const Snapshot& snapshot,
                                     const std::vector<std::string>& new_paths,
                                     std::int64_t since_ns, const std::vector<std::string>& lost,
                                     const std::function<bool(const std::string&)>& is_expected) {
  std::vector<std::string> folders;
  std::set<std::string> known;
  // New paths are known with everything below them.
  std::vector<std::string> not_looked_at = folders_not_looked_at(host);
  not_looked_at.insert(not_looked_at.end(), new_paths.begin(), new_paths.end());
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.state.type == FileState::Type::absent) {
      not_looked_at.push_back(kept.path);
      continue;
    }
    known.insert(kept.path);
    if (kept.state.type == FileState::Type::directory) folders.push_back(kept.path);
  }
  // Our own output files do not count.
  const std::string root = host.root == "/" ? "" : fs::weakly_canonical(host.root).string();
  for (const auto& file : output_files()) {
    if (file.string().starts_with(concat(root, "/")))
      known.insert(file.string().substr(root.size()));
  }
  ChangeScan scan = changed_since(host, folders, since_ns, not_looked_at);
  std::set<std::string> changed(scan.paths.begin(), scan.paths.end());
  std::erase_if(changed, [&](const std::string& path) { return known.contains(path); });
  changed.insert(lost.begin(), lost.end());
  UnexpectedChanges escaped;
  escaped.is_complete = scan.is_complete;
  for (const std::string& path : changed) {
    if (is_dpkg_lock(path) || (is_expected && is_expected(path))) continue;
    ++escaped.count;
    if (escaped.paths.size() < most_escaped) escaped.paths.push_back(printable(path));
  }
  return escaped;
}

std::string warning_of(const UnexpectedChanges& escaped, ChangedBy by) {
  std::string text;
  if (escaped.count > 0) {
    const auto shown = std::min<std::size_t>(escaped.paths.size(), 3);
    std::vector<std::string> first(escaped.paths.begin(),
                                   escaped.paths.begin() + static_cast<std::ptrdiff_t>(shown));
    const std::string count = counted(escaped.count, "path");
    const std::string names = concat(joined(first, ", "), escaped.count > shown ? ", ..." : "");
    text = by == ChangedBy::others
               ? format(
                     "{} changed meanwhile by others (the service manager, containers, people), "
                     "and will not be rolled back: {}",
                     count, names)
               : format(
                     "{} outside the write set changed unexpectedly, by package scripts or by "
                     "others, and will not be rolled back: {}",
                     count, names);
  }
  if (!escaped.is_complete) {
    text += format("{}the file systems have too many files to check all of them for changes",
                   text.empty() ? "" : "; ");
  }
  return text;
}

}  // namespace topsctl
