// Reads the mount table, and asks file systems for their free space.
#include "topsctl/host/filesystem/mounts.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

bool holds_no_packages(const std::string& type) {
  static const std::vector<std::string_view> types = {
      "autofs",     "binfmt_misc", "bpf",        "cgroup",   "cgroup2",     "configfs",
      "debugfs",    "devpts",      "devtmpfs",   "efivarfs", "fusectl",     "fuse.gvfsd-fuse",
      "fuse.lxcfs", "hugetlbfs",   "mqueue",     "nsfs",     "proc",        "pstore",
      "ramfs",      "rpc_pipefs",  "securityfs", "sysfs",    "fuse.portal", "selinuxfs",
      "squashfs",   "tracefs",     "iso9660"};
  return std::find(types.begin(), types.end(), type) != types.end();
}

// statvfs(2) blocks forever if the server is gone.
bool is_on_a_network(const std::string& type) {
  static const std::vector<std::string_view> types = {"9p",       "afs",  "beegfs", "ceph",  "cifs",
                                                      "coda",     "gpfs", "lustre", "nfs",   "nfs4",
                                                      "orangefs", "smb3", "smbfs",  "wekafs"};
  return type.starts_with("fuse") || std::find(types.begin(), types.end(), type) != types.end();
}

namespace {

constexpr std::size_t most_mounts = 200;
constexpr std::int64_t network_patience_ms = 5'000;

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// Blanks, tabs, line ends and backslashes are written as three octal digits.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_escape = text[at] == '\\' && text.size() - at > 3 && is_octal(text[at + 1]) &&
                           is_octal(text[at + 2]) && is_octal(text[at + 3]);
    if (!is_escape) {
      out.push_back(text[at]);
      continue;
    }
    out.push_back(static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 +
                                    (text[at + 3] - '0')));
    at += 3;
  }
  return out;
}

bool is_read_only(const std::string& options) {
  const std::vector<std::string> words = split(options, ',');
  return std::find(words.begin(), words.end(), "ro") != words.end();
}

std::optional<MountPoint> parse_line(std::string_view line) {
  const std::vector<std::string> words = split(line, ' ');
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (words.size() < 10 || dash < words.begin() + 6 || words.end() - dash < 4) return std::nullopt;
  MountPoint mount;
  mount.path = unescaped(words[4]);
  mount.type = printable(unescaped(*(dash + 1)));
  mount.read_only = is_read_only(words[5]) || is_read_only(*(dash + 3));
  if (!mount.path.starts_with('/') || mount.type.empty()) return std::nullopt;
  return mount;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool is_of_interest(const MountPoint& mount) {
  if (mount.path == "/") return true;
  constexpr std::array<std::string_view, 7> left_out = {"/dev",  "/proc",  "/run", "/sys",
                                                        "/home", "/media", "/snap"};
  return !holds_no_packages(mount.type) && mount.path != "/dev" && mount.path != "/run" &&
         is_plain_path(mount.path) &&
         std::none_of(left_out.begin(), left_out.end(),
                      [&](std::string_view folder) { return is_below(mount.path, folder); });
}

bool take_free_space(const fs::path& path, MountPoint& mount) {
  struct statvfs status {};
  if (::statvfs(path.c_str(), &status) != 0) return false;
  mount.free_bytes = static_cast<std::uint64_t>(status.f_bfree) * status.f_frsize;
  mount.counts_inodes = status.f_files > 0;
  mount.free_inodes = mount.counts_inodes ? status.f_ffree : 0;
  mount.read_only = mount.read_only || (status.f_flag & ST_RDONLY) != 0;
  return true;
}

// The same through a program that can be stopped.
bool ask_for_free_space(const Host& host, MountPoint& mount) {
  RunResult result;
  try {
    result = host.runner->run(host.command(
        {"stat", "--file-system", "--format=%S %f %c %d", "--", mount.path}, network_patience_ms));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    return false;
  }
  const std::vector<std::string> words = split(trimmed(result.output), ' ');
  std::array<std::uint64_t, 4> numbers{};
  if (!result.ok() || words.size() != numbers.size()) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const char* end = words[i].data() + words[i].size();
    const auto read = std::from_chars(words[i].data(), end, numbers[i]);
    if (read.ec != std::errc() || read.ptr != end) return false;
  }
  const auto [block, blocks, inodes, free_inodes] = numbers;
  if (__builtin_mul_overflow(block, blocks, &mount.free_bytes)) return false;
  mount.counts_inodes = inodes > 0;
  mount.free_inodes = mount.counts_inodes ? free_inodes : 0;
  return true;
}

}  // namespace

std::vector<MountPoint> parse_mountinfo(std::string_view text) {
  std::vector<MountPoint> mounts;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (auto mount = parse_line(text.substr(0, end))) mounts.push_back(std::move(*mount));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return mounts;
}

std::map<std::string, MountPoint> all_mounts(const Host& host, std::string_view mountinfo) {
  std::error_code failure;
  fs::path root = fs::canonical(host.root, failure);
  if (failure) root = host.root;
  std::map<std::string, MountPoint> table;
  MountPoint whole{"/", "unknown", false, 0, 0, false};
  std::size_t nearest = 0;  // the longest mount point that contains the root directory
  for (MountPoint& mount : parse_mountinfo(mountinfo)) {
    const bool holds_root =
        mount.path == "/" || mount.path == root || is_below(root.string(), mount.path);
    if (holds_root && mount.path.size() >= nearest) {
      nearest = mount.path.size();
      whole = mount;
      whole.path = std::string(1, '/');
      continue;
    }
    if (root != "/") {
      if (!is_below(mount.path, root.string())) continue;
      mount.path.erase(0, root.string().size());
    }
    // A later mount on the same path hides the earlier one.
    if (mount.path != "/") table.insert_or_assign(mount.path, mount);
  }
  table.insert_or_assign("/", whole);
  return table;
}

std::vector<MountPoint> read_mounts(const Host& host) {
  return read_mounts(host, read_text_if_present("/proc/self/mountinfo").value_or(""));
}

std::vector<MountPoint> read_mounts(const Host& host, std::string_view mountinfo) {
  std::vector<MountPoint> mounts;
  for (auto& [path, mount] : all_mounts(host, mountinfo)) {
    if (mounts.size() == most_mounts) break;
    if (!is_of_interest(mount)) continue;
    const bool answers = is_on_a_network(mount.type) && path != "/"
                             ? ask_for_free_space(host, mount)
                             : take_free_space(host.join_canonical(path), mount);
    if (answers) mounts.push_back(mount);
  }
  return mounts;
}

}  // namespace topsctl
