// Walks paths for owners and modes that give rights to others.
#include "topsctl/host/filesystem/change_rights.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// Debian reserves the groups below 100 for parts of the system (policy 9.2.2), and its installer
// makes users members of some of them: adm, dialout, cdrom, floppy, audio, dip, video, plugdev.
bool has_users(gid_t group) {
  constexpr gid_t first_local_group = 100;
  constexpr std::array<gid_t, 8> of_users = {4, 20, 24, 25, 29, 30, 44, 46};
  return group >= first_local_group ||
         std::find(of_users.begin(), of_users.end(), group) != of_users.end();
}

// With an access control list, the bits of the group are what it grants at most (acl(5)).
bool is_open_to_others(const struct stat& status, const std::string& place) {
  const bool is_foreign = status.st_uid != 0 && status.st_uid != ::geteuid();
  const bool has_foreign_group =
      (status.st_mode & S_IWGRP) != 0 &&
      (has_users(status.st_gid) ||
       ::lgetxattr(place.c_str(), "system.posix_acl_access", nullptr, 0) > 0);
  const bool is_open = (status.st_mode & S_IWOTH) != 0;
  return !S_ISLNK(status.st_mode) && (is_foreign || has_foreign_group || is_open);
}

}  // namespace

bool can_others_change(const Host& host, const std::string& path) {
  for (const std::string& each : {path, canonical_in_root(host.root, path, LastLink::follow)}) {
    for (fs::path part = canonical_in_root(host.root, each);; part = part.parent_path()) {
      struct stat status {};
      const std::string text = part.string();
      const std::string place = host.join_canonical_text(text);
      if (::lstat(place.c_str(), &status) != 0 || is_open_to_others(status, place)) return true;
      if (text == "/") break;
    }
  }
  return false;
}

void require_closed_folder(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode) && !is_open_to_others(status, folder.string())) return;
  throw Error(ErrorCode::host_unfit,
              format("others than root can change {}", in_quotes(folder.string())),
              format("see what they have put there, then: chown root:root {} && chmod go-w {}",
                     typed_word(folder.string()), typed_word(folder.string())));
}

void make_closed_folder(const fs::path& folder) {
  constexpr mode_t mode = 0755;
  make_directories(folder, mode);
  require_closed_folder(folder);
}

bool ChangeRights::can_others_change(const std::string& path) {
  const fs::path whole(path);
  const std::string directory = whole.parent_path().string();
  auto known = directories_.find(directory);
  if (known == directories_.end()) {
    std::pair<std::string, bool> found = {
        canonical_in_root(host_.root, directory, LastLink::follow),
        topsctl::can_others_change(host_, directory)};
    known = directories_.emplace(directory, std::move(found)).first;
  }
  const auto& [place, is_open] = known->second;
  struct stat status {};
  const std::string file =
      host_.join_canonical_text(concat(place == "/" ? "" : place, "/", whole.filename().string()));
  if (is_open || ::lstat(file.c_str(), &status) != 0) return true;
  return S_ISLNK(status.st_mode)
             ? can_others_change(canonical_in_root(host_.root, path, LastLink::follow))
             : is_open_to_others(status, file);
}

}  // namespace topsctl
