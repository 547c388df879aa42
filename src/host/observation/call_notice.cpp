// Reads by process_vm_readv(2), and by ptrace(2) if only that is permitted.
#include "topsctl/host/observation/call_notice.hpp"

#include <sys/ptrace.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// Reads within one page, because the next one may be unmapped. Returns the number of bytes read.
std::size_t read_piece(pid_t process, std::uint64_t from, char* to, std::size_t size) {
  const iovec here = {to, size};
  const iovec there = {reinterpret_cast<void*>(from), size};  // NOLINT: of another process
  const ssize_t got = ::process_vm_readv(process, &here, 1, &there, 1, 0);
  if (got > 0) return static_cast<std::size_t>(got);
  // Without CAP_SYS_PTRACE this is refused for another user's process, even a traced one.
  if (errno != EPERM && errno != ENOSYS) return 0;
  std::size_t done = 0;
  while (done < size) {
    const std::uint64_t address = from + done;
    const std::uint64_t aligned = address & ~std::uint64_t{sizeof(long) - 1};
    errno = 0;
    const long word = ::ptrace(PTRACE_PEEKDATA, process, aligned, nullptr);
    if (word == -1 && errno != 0) return done;
    const std::size_t skipped = address - aligned;
    const std::size_t taken = std::min(sizeof word - skipped, size - done);
    std::memcpy(to + done, reinterpret_cast<const char*>(&word) + skipped, taken);
    done += taken;
  }
  return done;
}

Error unreadable(pid_t process) {
  return Error(ErrorCode::permission, format("cannot read the memory of process {}", process));
}

constexpr std::uint64_t page = 4096;

}  // namespace

std::string bytes_in_process(pid_t process, std::uint64_t address, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const std::uint64_t from = address + done;
    const std::size_t got = read_piece(process, from, bytes.data() + done,
                                       std::min<std::uint64_t>(size - done, page - from % page));
    if (got == 0) throw unreadable(process);
    done += got;
  }
  return bytes;
}

std::string text_in_process(pid_t process, std::uint64_t address) {
  constexpr std::uint64_t piece_size = 256;
  std::array<char, piece_size> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
  std::string text;
  while (text.size() < PATH_MAX) {
    const std::uint64_t from = address + text.size();
    const std::size_t got =
        read_piece(process, from, room.data(), std::min(piece_size, page - from % page));
    if (got == 0) throw unreadable(process);
    const std::string_view piece(room.data(), got);
    const auto end = piece.find('\0');
    text += piece.substr(0, end);
    if (end != std::string_view::npos) return text;
  }
  throw Error(ErrorCode::permission, format("a path of process {} is too long", process));
}

}  // namespace topsctl
