// The state of one path, complete enough to restore it and to verify the restore.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace topsctl {

struct FileState {
  enum class Type { absent, file, directory, symlink, special };
  Type type = Type::absent;
  unsigned mode = 0;  // st_mode, file type included
  unsigned uid = 0;
  unsigned gid = 0;
  std::uint64_t size = 0;                     // files only
  std::int64_t mtime_ns = 0;                  // since the epoch
  std::uint64_t rdev = 0;                     // devices only
  std::string target;                         // links only
  std::string sha256;                         // files only, if requested
  std::map<std::string, std::string> xattrs;  // including capabilities and ACLs
  bool operator==(const FileState&) const = default;
};

// Whether all values known of both are equal: the content of a file that was not read is unknown.
bool agree(const FileState& a, const FileState& b);

// Identifies the file of a path, for hard links.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t links = 0;
  auto operator<=>(const FileIdentity&) const =
      default;  // NOLINT(modernize-use-nullptr): none is meant
};

enum class Content { ignore, digest };

// For a path whose directories no other user may change; use FileTree for all others. Never follows
// a link. Throws Error if the path exists but cannot be read. `identity`, if given, is set from the
// same stat call.
FileState file_state(const std::string& path, Content content, FileIdentity* identity = nullptr);
FileIdentity file_identity(const std::string& path);

// Whether chattr(1) prevents changing or replacing the file. `absent` also if it cannot be
// determined.
enum class Immutability { absent, changeable, immutable };
Immutability immutability(const std::string& path);

// Sets owner, mode, extended attributes and modification time of `path`, which must be of the
// state's type.
void apply_attributes(const std::filesystem::path& path, const FileState& state);

}  // namespace topsctl
