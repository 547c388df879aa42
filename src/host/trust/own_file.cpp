// Checks owner and mode of opened files, after the path to them.
#include "host/trust/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::string only_root_hint(const fs::path& path) {
  return format("check who changed it, then run `sudo chown root {} && sudo chmod go-w {}`",
                shell_quoted(path.string()), shell_quoted(path.string()));
}

void require_own(const struct stat& status, const fs::path& path) {
  const bool is_ours = status.st_uid == 0 || status.st_uid == ::geteuid();
  if (is_ours && (status.st_mode & 0022U) == 0) return;
  throw Error(ErrorCode::permission,
              format("{} can be changed by other users (uid {}, mode {})", in_quotes(path.string()),
                     status.st_uid, octal_mode(status.st_mode & 07777U)),
              only_root_hint(path));
}

// Opens a file that no other user can replace; not open if it is missing.
Descriptor open_own(const fs::path& path, int flags) {
  try {
    require_own_way(path);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
    throw Error(ErrorCode::permission, error.message(), only_root_hint(path.parent_path()));
  }
  Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | flags));
  if (opened.is_open()) return opened;
  if (errno == ENOENT) return opened;
  if (errno == ELOOP || errno == ENOTDIR) {
    throw Error(ErrorCode::permission,
                format("{} is a link or not a directory", in_quotes(path.string())),
                "replace it with the file or directory itself");
  }
  throw system_error(errno, "read", path.string());
}

struct stat status_of(const Descriptor& opened, const fs::path& path) {
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) throw system_error(errno, "read", path.string());
  return status;
}

// In a directory that is writable for others, they could create such a file.
bool is_own_folder(const fs::path& folder) {
  const Descriptor opened = open_own(folder, O_DIRECTORY);
  if (!opened.is_open()) return false;
  require_own(status_of(opened, folder), folder);
  return true;
}

}  // namespace

std::optional<std::string> read_own_file(const fs::path& file, std::uint64_t most) {
  if (!is_own_folder(file.parent_path())) return std::nullopt;
  const Descriptor opened = open_own(file, 0);
  if (!opened.is_open()) return std::nullopt;
  const struct stat status = status_of(opened, file);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::permission, format("{} is not a regular file", in_quotes(file.string())),
                "replace it with a regular file, or remove it");
  }
  require_own(status, file);
  std::string text;
  std::string piece(std::size_t{64} << 10U, '\0');
  for (;;) {
    const ssize_t got = ::read(opened.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", file.string());
    if (got == 0) return text;
    text.append(piece, 0, static_cast<std::size_t>(got));
    if (text.size() > most) {
      throw Error(ErrorCode::host_unfit, format("{} is too large", in_quotes(file.string())),
                  format("at most {} can be read", human_size(most)));
    }
  }
}

std::vector<fs::path> own_files_in(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> files;
  if (!is_own_folder(folder)) return files;
  std::error_code failure;
  for (auto at = fs::directory_iterator(folder, failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    if (at->path().filename().string().ends_with(ending)) files.push_back(at->path());
  }
  if (failure) throw system_error(failure.value(), "read", folder.string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace topsctl
