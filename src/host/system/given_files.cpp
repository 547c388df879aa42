// Saves pipes, and checks the directories of new files.
#include "topsctl/host/system/given_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace fs = std::filesystem;

Descriptor saved_pipe(int pipe, const std::string& name) {
  Descriptor file = open_nameless_file();
  std::string piece(std::size_t{256} << 10U, '\0');
  for (;;) {
    wait_for({pipe});
    throw_if_interrupted();
    const ssize_t size = ::read(pipe, piece.data(), piece.size());
    if (size == 0) return file;
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0) throw system_error(errno, "read", name, ErrorCode::bad_input);
    write_all(file, std::string_view(piece).substr(0, static_cast<std::size_t>(size)), name);
  }
}

void save_shell_pipe(const std::string& path) {
  constexpr std::size_t most_digits = 6;
  const fs::path folder = fs::path(path).parent_path();
  const std::string number = fs::path(path).filename();
  const bool is_descriptor = (folder == "/dev/fd" || folder == "/proc/self/fd") &&
                             is_digits(number) && number.size() <= most_digits;
  if (!is_descriptor) return;
  const int pipe = std::stoi(number);
  struct stat status {};
  const int flags = ::fcntl(pipe, F_GETFL);
  const bool is_input = pipe > STDERR_FILENO && flags >= 0 && (flags & O_ACCMODE) == O_RDONLY &&
                        ::fstat(pipe, &status) == 0 && S_ISFIFO(status.st_mode);
  if (!is_input) return;
  const Descriptor file = saved_pipe(pipe, path);
  if (::dup3(file.get(), pipe, O_CLOEXEC) < 0) throw system_error(errno, "read", path);
}

void require_folder_of(const fs::path& file) {
  std::error_code failure;
  const fs::path folder = file.parent_path();
  if (folder.empty() || fs::is_directory(folder, failure)) return;
  throw Error(ErrorCode::usage,
              format("cannot write {}: no such directory: {}", in_quotes(file.string()),
                     missing_path(folder)),
              "create the directory first, or give another file");
}

}  // namespace topsctl
