// Reading and durable writing of files.
#include "topsctl/host/system/files.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// Limited, so that a hint does not require reading a huge directory.
std::vector<std::string> names_in(const fs::path& folder) {
  constexpr std::size_t most_names = 10'000;
  std::vector<std::string> names;
  std::error_code failure;
  for (auto at = fs::directory_iterator(folder, failure);
       !failure && at != fs::directory_iterator() && names.size() < most_names;
       at.increment(failure))
    names.push_back(at->path().filename().string());
  return names;
}

}  // namespace

std::string missing_path(const fs::path& path) {
  std::error_code failure;
  fs::path meant;
  for (const fs::path& part : path) {
    if (part.empty() || fs::exists(fs::symlink_status(meant / part, failure))) {
      meant /= part;
      continue;
    }
    const auto name = nearest(part.string(), names_in(meant.empty() ? "." : meant));
    if (!name) return in_quotes(path.string());
    meant /= *name;
  }
  if (meant == path) return in_quotes(path.string());
  return concat(in_quotes(path.string()), format(" (did you mean {}?)", in_quotes(meant.string())));
}

std::string read_text(const fs::path& file, std::uint64_t most) {
  const Descriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!input.is_open()) throw system_error(errno, "read", file.string());
  std::string text;
  std::vector<char> buffer(1U << 16U);
  for (;;) {
    const ssize_t got = ::read(input.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", file.string());
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > most) {
      throw Error(ErrorCode::host_unfit, format("cannot read {}: larger than {}",
                                                in_quotes(file.string()), human_size(most)));
    }
  }
}

std::optional<std::string> read_text_if_present(const fs::path& file, std::uint64_t most) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    return std::nullopt;
  }
  return read_text(file, most);
}

ScratchFolder::ScratchFolder(std::string_view purpose) {
  std::string name = (fs::temp_directory_path() / concat("topsctl-", purpose, "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) throw system_error(errno, "create directory", name);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_all(const Descriptor& to, std::string_view bytes, const fs::path& name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(to.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error(errno, "write", name.string());
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

namespace {

enum class Durability { plain, durable };

void replace_file(const fs::path& file, std::string_view bytes, mode_t mode,
                  Durability durability) {
  std::string temporary = concat(file.parent_path().string(), "/.topsctl-XXXXXX");
  const Descriptor output(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!output.is_open()) throw system_error(errno, "write", file.string());
  try {
    write_all(output, bytes, file);
    if (::fchmod(output.get(), mode) != 0)
      throw system_error(errno, "set the mode of", file.string());
    if (durability == Durability::durable && ::fsync(output.get()) != 0) {
      throw system_error(errno, "write", file.string());
    }
    if (::rename(temporary.c_str(), file.c_str()) != 0) {
      throw system_error(errno, "write", file.string());
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (durability == Durability::durable) sync_directory(file.parent_path());
}

// Uses an unnamed file, so that a kill leaves nothing behind; for a moment there is no file. False
// if the file system or a missing /proc does not allow it.
bool replace_by_nameless(const fs::path& file, std::string_view bytes, mode_t mode) {
  const Descriptor output(
      ::open(file.parent_path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!output.is_open()) return false;
  write_all(output, bytes, file);
  if (::fchmod(output.get(), mode) != 0)
    throw system_error(errno, "set the mode of", file.string());
  const std::string nameless = concat("/proc/self/fd/", output.get());
  if (::access(nameless.c_str(), F_OK) != 0) return false;
  ::unlink(file.c_str());
  return ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, file.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace

void write_durably(const fs::path& file, std::string_view bytes, mode_t mode) {
  replace_file(file, bytes, mode, Durability::durable);
}

void write_plainly(const fs::path& file, std::string_view bytes, mode_t mode) {
  if (replace_by_nameless(file, bytes, mode)) return;
  replace_file(file, bytes, mode, Durability::plain);
}

void make_directories(const fs::path& folder, mode_t mode) {
  if (folder.empty() || folder == folder.root_path()) return;
  struct stat status {};
  if (::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return;
  make_directories(folder.parent_path(), mode);
  if (::mkdir(folder.c_str(), mode) != 0 &&
      (errno != EEXIST || ::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))) {
    throw system_error(errno, "create directory", folder.string());
  }
}

void sync_directory(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open() || ::fsync(descriptor.get()) != 0) {
    throw system_error(errno, "sync directory", folder.string());
  }
}

bool is_on_plain_disk(const fs::path& path) {
  constexpr std::array<decltype(statfs::f_type), 3> plain = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,
                                                             BTRFS_SUPER_MAGIC};
  struct statfs status {};
  return ::statfs(path.c_str(), &status) == 0 &&
         std::find(plain.begin(), plain.end(), status.f_type) != plain.end();
}

bool is_overlay(const fs::path& path) {
  struct statfs status {};
  return ::statfs(path.c_str(), &status) == 0 && status.f_type == OVERLAYFS_SUPER_MAGIC;
}

std::vector<fs::path> output_files() {
  std::vector<fs::path> files;
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    std::error_code failure;
    const fs::path target = fs::read_symlink(concat("/proc/self/fd/", stream), failure);
    // Pipes and the like have other names.
    if (!failure && target.is_absolute()) files.push_back(target);
  }
  return files;
}

void sync_file_system(const fs::path& path) {
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open() || ::syncfs(descriptor.get()) != 0) {
    throw system_error(errno, "sync the file system of", path.string());
  }
}

std::string copy_with_digest(const fs::path& from, const fs::path& to) {
  const Descriptor input(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW));
  if (!input.is_open()) throw system_error(errno, "read", from.string());
  const Descriptor output(
      ::open(to.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!output.is_open()) throw system_error(errno, "write", to.string());
  return copy_with_digest(input, from.string(), output, to.string());
}

std::string copy_with_digest(const Descriptor& input, const std::string& from,
                             const Descriptor& output, const std::string& to) {
  const bool cloned = ::ioctl(output.get(), FICLONE, input.get()) == 0;
  // The digest is computed from the copy: a clone is read back, because the original may change at
  // any time.
  const Descriptor& source = cloned ? output : input;
  Sha256 digest;
  constexpr std::size_t block = 64U << 10U;  // the same as for a digest only
  const auto buffer = std::make_unique_for_overwrite<char[]>(block);
  for (;;) {
    const ssize_t got = ::read(source.get(), buffer.get(), block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", from);
    if (got == 0) return digest.hex();
    const std::string_view piece(buffer.get(), static_cast<std::size_t>(got));
    digest.update(piece);
    if (!cloned) write_all(output, piece, to);
  }
}

void overwrite(const fs::path& file, const fs::path& with) {
  const Descriptor input(::open(with.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!input.is_open()) throw system_error(errno, "read", with.string());
  const Descriptor output(::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW));
  if (!output.is_open()) throw system_error(errno, "write", file.string());
  std::vector<char> buffer(64U << 10U);
  for (;;) {
    const ssize_t got = ::read(input.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", with.string());
    if (got == 0) return;
    write_all(output, {buffer.data(), static_cast<std::size_t>(got)}, file);
  }
}

std::uint64_t free_bytes(const fs::path& path) {
  struct statvfs status {};
  fs::path at = path;
  while (::statvfs(at.c_str(), &status) != 0) {
    if (errno != ENOENT || at == at.parent_path()) {
      throw system_error(errno, "get the free space of", path.string());
    }
    at = at.parent_path();
  }
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

}  // namespace topsctl
