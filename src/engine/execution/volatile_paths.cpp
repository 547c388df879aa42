// Lists directories, and compares the lists.
#include "engine/execution/volatile_paths.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_told = 20;
constexpr std::size_t most_listed = 2000;
constexpr std::array<std::string_view, 2> folders = {"/run", "/var/log"};

bool is_of_others(const std::string& path) {
  constexpr std::array<std::string_view, 6> own = {
      "/run/systemd", "/run/udev",         "/run/user",
      "/run/log",     "/var/log/dpkg.log", "/var/log/alternatives.log"};
  return std::any_of(own.begin(), own.end(), [&](std::string_view each) { return path == each; });
}

void add_below(const FileTree& tree, const std::string& folder, int depth, const std::string& logs,
               std::vector<std::string>& found) {
  for (const ListedName& listed : tree.list(folder)) {
    std::string path = concat(folder, "/", listed.name);
    if (path == logs || is_of_others(path)) continue;
    if (listed.is_folder && !listed.is_mount && depth > 1)
      add_below(tree, path, depth - 1, logs, found);
    found.push_back(std::move(path));
  }
}

}  // namespace

std::vector<std::string> volatile_paths(const Host& host) {
  const FileTree tree(host.root);
  std::vector<std::string> found;
  try {
    for (const std::string_view folder : folders)
      add_below(tree, std::string(folder), 2, host.logs, found);
  } catch (const Error&) {
    return {};  // an unreadable directory is not reported, and is no reason to stop
  }
  std::sort(found.begin(), found.end());
  if (found.size() > most_listed) found.clear();  // the journal has it
  return found;
}

std::vector<std::string> new_volatile_paths(const Host& host,
                                            const std::vector<std::string>& before) {
  std::vector<std::string> found;
  if (before.empty()) return found;
  for (std::string& path : volatile_paths(host)) {
    if (std::binary_search(before.begin(), before.end(), path)) continue;
    const bool is_below =
        !found.empty() && path.starts_with(found.back()) && path[found.back().size()] == '/';
    if (!is_below && found.size() < most_told) found.push_back(printable(path));
  }
  return found;
}

std::string line_on_volatile(const std::string& path, std::int64_t transaction) {
  return format(
      "{}: appeared during transaction {} and stays, as nothing in /run and /var/log is "
      "backed up",
      path, transaction);
}

std::vector<std::string> lines_on_volatile(const Host& host, const Transaction& transaction,
                                           std::int64_t end_ns) {
  const bool is_complete = transaction.was_committed();
  std::vector<std::string> lines;
  for (const std::string& path :
       is_complete ? volatile_paths_of(transaction)
                   : new_volatile_paths(host, volatile_paths_before(transaction))) {
    struct stat status {};
    if (::lstat(host.join_canonical(path).c_str(), &status) != 0) continue;
    // Later paths are not its own.
    if (is_complete || status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec <= end_ns)
      lines.push_back(line_on_volatile(path, transaction.id));
  }
  return lines;
}

}  // namespace topsctl
