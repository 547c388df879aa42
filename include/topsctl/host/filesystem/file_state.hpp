// The state of one path, complete enough to put it back and to prove that it is back.
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
  std::string sha256;                         // files only, if asked for
  std::map<std::string, std::string> xattrs;  // capabilities and ACLs are among them
  bool operator==(const FileState&) const = default;
};

// Whether nothing that is known of both differs: the content of a file that was not read is not
// known.
bool agree(const FileState& a, const FileState& b);

// Which file a path is, for hard links.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t links = 0;
  auto operator<=>(const FileIdentity&) const =
      default;  // NOLINT(modernize-use-nullptr): none is meant
};

enum class Content { ignore, digest };

// Of a path whose folders nobody else may change; FileTree is for the others. Never follows a link.
// Throws Error if the path is there but cannot be read.
// `identity`, if given, is set to that of the very same look.
FileState file_state(const std::string& path, Content content, FileIdentity* identity = nullptr);
FileIdentity file_identity(const std::string& path);

// Whether chattr(1) forbids to change or to replace what is there. `absent` also where nobody can
// look.
enum class Immutability { absent, changeable, immutable };
Immutability immutability(const std::string& path);

// Sets owner, mode, extended attributes and modification time of what is at `path`, which must be
// of the state's type.
void apply_attributes(const std::filesystem::path& path, const FileState& state);

}  // namespace topsctl
