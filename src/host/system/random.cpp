// Asks the kernel for random bytes.
#include "topsctl/host/system/random.hpp"

#include <sys/random.h>

#include <cerrno>

#include "topsctl/base/error.hpp"

namespace topsctl {

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  // Never fewer than asked for, up to 256 bytes, once the kernel has gathered enough.
  if (::getrandom(bytes.data(), count, 0) != static_cast<ssize_t>(count))
    throw system_error(errno, "read", "random numbers");
  return bytes;
}

}  // namespace topsctl
