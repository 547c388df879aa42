// Writes with a limit to the waiting.
#include "cli/non_blocking_streambuf.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "topsctl/base/text.hpp"

namespace topsctl {

NonBlockingStreambuf::NonBlockingStreambuf(int descriptor, int timeout_ms)
    : descriptor_(descriptor), patience_ms_(timeout_ms) {
  // O_NONBLOCK on the descriptor itself would also affect the shell that shares it.
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode))) {
    const std::string name = concat("/proc/self/fd/", descriptor);
    own_ = Descriptor(::open(name.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  }
  if (own_.is_open()) descriptor_ = own_.get();
}

std::streambuf::int_type NonBlockingStreambuf::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof()))
    return traits_type::not_eof(character);
  const char byte = traits_type::to_char_type(character);
  write_some(&byte, 1);
  return character;
}

std::streamsize NonBlockingStreambuf::xsputn(const char* bytes, std::streamsize size) {
  write_some(bytes, static_cast<std::size_t>(size));
  return size;
}

void NonBlockingStreambuf::write_some(const char* bytes, std::size_t size) {
  while (size > 0) {
    pollfd reader = {descriptor_, POLLOUT, 0};
    const int ready = ::poll(&reader, 1, is_stuck_ ? 0 : patience_ms_);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) is_stuck_ = true;
    if (ready <= 0) return;
    const ssize_t written = ::write(descriptor_, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      // No space for this much: wait, but only for a limited time.
      is_stuck_ = true;
      return;
    }
    if (written <= 0) return;
    is_stuck_ = false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace topsctl
