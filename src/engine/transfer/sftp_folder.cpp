// Looks at, and makes, folders over SFTP without following what others may have planted.
#include "engine/transfer/sftp_folder.hpp"

#include <sys/stat.h>

#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/random.hpp"

namespace topsctl {

namespace {

constexpr std::uint32_t own_folder = 0700;
constexpr std::size_t random_name_bytes = 8;
constexpr std::uint32_t by_others = 0022;
constexpr const char* hint = "remove it, or choose another directory with --dest";

bool is_kind(const SftpAttributes& attributes, std::uint32_t kind) {
  return attributes.mode && (*attributes.mode & S_IFMT) == kind;
}

std::string folder_above(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

void require_plain_folder(const SftpAttributes& found, const std::string& path) {
  if (is_sftp_folder(found)) return;
  throw Error(ErrorCode::permission,
              is_kind(found, S_IFLNK)
                  ? format("{} is a symbolic link, possibly planted by somebody", in_quotes(path))
                  : format("{} is not a directory", in_quotes(path)),
              hint);
}

[[noreturn]] void refuse_sftp_mode(const std::string& path, std::uint32_t mode,
                                   const char* better) {
  throw Error(
      ErrorCode::permission,
      format("{} is writable by other users (mode {})", in_quotes(path), octal_mode(mode & 07777U)),
      format("run `chmod {} {}` on the host, or {}", better, path, hint));
}

[[noreturn]] void refuse_sftp_owner(const std::string& path, const SftpAttributes& found) {
  throw Error(ErrorCode::permission,
              format("{} belongs to another user{}", in_quotes(path),
                     found.owner ? format(" (uid {})", *found.owner) : ""),
              hint);
}

}  // namespace

bool is_sftp_folder(const SftpAttributes& attributes) {
  return is_kind(attributes, S_IFDIR);
}

bool is_sftp_file(const SftpAttributes& attributes) {
  return is_kind(attributes, S_IFREG);
}

SftpFolder::SftpFolder(SftpClient& sftp, std::string path, Purpose purpose)
    : sftp_(sftp), path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  deepest_ = path_;
  while (deepest_ != "/" && !sftp_.stat_following(deepest_)) deepest_ = folder_above(deepest_);
  // A link that leads nowhere is there, too.
  if (deepest_ != path_ && !sftp_.look_at(path_)) {
    if (purpose == Purpose::look) return;
    make_with_parents();
  }
  const auto found = sftp_.look_at(path_);
  if (!found)
    throw ConnectionLost(
        format("{} was created on the host and then disappeared", in_quotes(path_)));
  require_plain_folder(*found, path_);
  if ((*found->mode & by_others) != 0) refuse_sftp_mode(path_, *found->mode, "700");
  if (purpose == Purpose::fill) require_ours();
}

void SftpFolder::make_with_parents() {
  std::vector<std::string> missing;
  for (std::string each = path_; each != deepest_; each = folder_above(each))
    missing.push_back(each);
  for (; !missing.empty(); missing.pop_back()) sftp_.make_folder(missing.back(), own_folder);
  deepest_ = path_;
}

// The server does not say by whose number it works, but shows it on what we make.
std::uint32_t SftpFolder::own_number() {
  const std::string file = concat(path_, "/.topsctl-", hex_text(random_bytes(random_name_bytes)));
  const SftpClient::Handle handle = sftp_.open(file, SftpOpening::to_make);
  const SftpAttributes made = sftp_.attributes_of(handle, file);
  sftp_.close(handle, file);
  sftp_.remove(file);
  if (made.owner) return *made.owner;
  throw Error(ErrorCode::permission,
              format("the SFTP server does not report the owner of {}", in_quotes(path_)), hint);
}

void SftpFolder::require_ours() {
  const std::uint32_t ours = own_number();
  const auto found = sftp_.look_at(path_);
  if (!found) throw ConnectionLost(format("{} disappeared on the host", in_quotes(path_)));
  require_plain_folder(*found, path_);
  if (found->owner != ours) refuse_sftp_owner(path_, *found);
  for (std::string above = path_; above != "/";) {
    above = folder_above(above);
    require_step(above, ours);
  }
}

// As require_own_way() has it; where a link leads to is looked at, but not what leads there.
void SftpFolder::require_step(const std::string& path, std::uint32_t ours) {
  const auto step = sftp_.look_at(path);
  const auto folder = sftp_.stat_following(path);
  if (!step || !folder) throw ConnectionLost(format("{} disappeared on the host", in_quotes(path)));
  for (const SftpAttributes& each : {*step, *folder}) {
    if (each.owner != 0U && each.owner != ours) refuse_sftp_owner(path, each);
  }
  const std::uint32_t mode = folder->mode.value_or(by_others);
  if ((mode & by_others) != 0 && (mode & S_ISVTX) == 0) refuse_sftp_mode(path, mode, "go-w");
}

std::string SftpFolder::path_of(const std::string& name) const {
  return concat(path_ == "/" ? "" : path_, "/", name);
}

std::string SftpFolder::part_of(const std::string& name) const {
  constexpr std::size_t longest_name = 255;
  const std::size_t at = name.rfind('/') + 1;  // 0 if there is none
  std::string last = concat(".", name.substr(at), ".topsctl-part");
  if (last.size() > longest_name) last = concat(".", sha256_of(name.substr(at)), ".topsctl-part");
  return path_of(concat(name.substr(0, at), last));
}

void SftpFolder::make_way(const std::string& name) {
  for (std::size_t slash = name.find('/'); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    const std::string folder = path_of(name.substr(0, slash));
    if (known_.contains(folder)) continue;
    if (!sftp_.look_at(folder)) sftp_.make_folder(folder, own_folder);
    const auto found = sftp_.look_at(folder);
    if (!found) throw ConnectionLost(format("{} disappeared on the host", in_quotes(folder)));
    require_plain_folder(*found, folder);
    known_.insert(folder);
  }
}

void SftpFolder::require_room(std::uint64_t bytes) const {
  const auto room = bytes == 0 ? std::nullopt : sftp_.room_at(deepest_);
  if (!room || bytes <= *room) return;
  throw Error(ErrorCode::no_space,
              format("not enough space for {} in {}: {} free", human_size(bytes), in_quotes(path_),
                     human_size(*room)),
              "free some space on the host, or choose another file system with --dest; data "
              "already received is kept");
}

}  // namespace topsctl
