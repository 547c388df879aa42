// Creates, writes and reads the listing of directories.
#include "topsctl/engine/transaction/folder_record.hpp"

#include <unistd.h>

#include <algorithm>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* record_name = "folders";
constexpr std::uint64_t most_record = 1ULL << 30U;
constexpr std::size_t digest_size = 64;

// For each directory its path, its time and its names, each terminated by a NUL, and one more NUL;
// at the end the digest of everything before.
std::string record_text(const std::vector<ListedFolder>& folders) {
  std::string text;
  for (const ListedFolder& folder : folders) {
    text.append(folder.path).push_back('\0');
    text.append(concat(folder.mtime_ns)).push_back('\0');
    text.append(folder.names).push_back('\0');
  }
  return text + sha256_of(text);
}

std::string_view next_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  return word;
}

std::vector<ListedFolder> parse_record(std::string_view rest) {
  std::vector<ListedFolder> folders;
  while (!rest.empty()) {
    ListedFolder folder;
    folder.path = next_word(rest);
    folder.mtime_ns = std::strtoll(std::string(next_word(rest)).c_str(), nullptr, 10);
    for (auto name = next_word(rest); !name.empty(); name = next_word(rest))
      folder.names.append(name).push_back('\0');
    folders.push_back(std::move(folder));
  }
  return folders;
}

bool has_name(const ListedFolder& folder, std::string_view name) {
  std::string_view rest = folder.names;
  while (!rest.empty()) {
    if (next_word(rest) == name) return true;
  }
  return false;
}

}  // namespace

const ListedFolder* FolderRecord::at(std::string_view path) const {
  const auto found = std::lower_bound(
      folders.begin(), folders.end(), path,
      [](const ListedFolder& folder, std::string_view p) { return folder.path < p; });
  return found == folders.end() || found->path != path ? nullptr : &*found;
}

std::optional<bool> FolderRecord::held(const std::string& path) const {
  const fs::path at_path(path);
  const std::string parent = at_path.parent_path().string();
  if (parent == path) return std::nullopt;
  if (const ListedFolder* folder = at(parent))
    return has_name(*folder, at_path.filename().string());
  // A directory that did not exist had no entries.
  const auto was_parent_there = held(parent);
  return was_parent_there.value_or(true) ? std::nullopt : std::optional(false);
}

std::vector<std::string> folders_not_looked_at(const Host& host) {
  std::vector<std::string> canonical;
  for (const char* folder :
       {"/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp", "/var/run", "/var/log", "/var/spool",
        "/home", "/var/lib/docker", "/var/lib/containerd", "/lost+found", "/var/lib/containers",
        "/var/lib/kubelet", "/var/cache/apt", system_state}) {
    canonical.push_back(canonical_in_root(host.root, folder, LastLink::follow));
  }
  return canonical;
}

FolderRecord record_folders(const Host& host, const Snapshot& snapshot, const fs::path& store) {
  std::vector<std::string> folders;
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.state.type == FileState::Type::directory) folders.push_back(kept.path);
  }
  FolderRecord record;
  record.folders = listed_folders(host, folders, folders_not_looked_at(host));
  write_plainly(store / record_name, record_text(record.folders), 0600);
  record.since_ns = change_time_ns(store / record_name);
  return record;
}

std::optional<FolderRecord> load_folder_record(const fs::path& store) {
  const auto text = read_text_if_present(store / record_name, most_record);
  if (!text || text->size() < digest_size) return std::nullopt;
  const std::string_view all(*text);
  const std::string_view records = all.substr(0, all.size() - digest_size);
  if (sha256_of(records) != all.substr(records.size())) return std::nullopt;
  return FolderRecord{parse_record(records), change_time_ns(store / record_name)};
}

void remove_folder_record(const fs::path& store) {
  ::unlink((store / record_name).c_str());
}

}  // namespace topsctl
