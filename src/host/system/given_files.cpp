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
  const fs::path folder = folder_for_large_files();
  std::uint64_t room = free_bytes(folder) / 2;  // a pipe without an end leaves the host the rest
  Descriptor file = open_nameless_file();
  std::string piece(std::size_t{256} << 10U, '\0');
  for (;;) {
    wait_for({pipe});
    throw_if_interrupted();
    const ssize_t size = ::read(pipe, piece.data(), piece.size());
    if (size == 0) return file;
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0) throw system_error(errno, "read", name, ErrorCode::bad_input);
    const auto bytes = static_cast<std::size_t>(size);
    if (bytes > room)
      throw Error(ErrorCode::no_space,
                  format("{} has more bytes than half of what is free in {}", in_quotes(name),
                         in_quotes(folder.string())),
                  format("give a file, or set TMPDIR to a directory with more free space"));
    room -= bytes;
    write_all(file, std::string_view(piece).substr(0, bytes), name);
  }
}

void save_shell_pipe(const std::string& path) {
  constexpr std::size_t most_digits = 6;
  const fs::path folder = fs::path(path).parent_path();
  const bool is_standard_input = path == "/dev/stdin";
  const std::string number = is_standard_input ? "0" : fs::path(path).filename().string();
  const bool is_descriptor =
      is_standard_input || ((folder == "/dev/fd" || folder == "/proc/self/fd") &&
                            is_digits(number) && number.size() <= most_digits);
  if (!is_descriptor) return;
  const int pipe = std::stoi(number);
  struct stat status {};
  const int flags = ::fcntl(pipe, F_GETFL);
  const bool is_output = pipe == STDOUT_FILENO || pipe == STDERR_FILENO;
  const bool is_input = !is_output && flags >= 0 && (flags & O_ACCMODE) == O_RDONLY &&
                        ::fstat(pipe, &status) == 0 && S_ISFIFO(status.st_mode);
  if (!is_input) return;
  const Descriptor file = saved_pipe(pipe, path);
  const int inherited = pipe == STDIN_FILENO ? 0 : O_CLOEXEC;
  if (::dup3(file.get(), pipe, inherited) < 0) throw system_error(errno, "read", path);
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
