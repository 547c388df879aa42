// Asks the kernel for random bytes.
#include "topsctl/host/system/random.hpp"

#include <sys/random.h>

#include <cerrno>

#include "topsctl/base/error.hpp"

namespace topsctl {

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  // Never fewer than requested, up to 256 bytes, after the kernel's generator is initialized.
  if (::getrandom(bytes.data(), count, 0) != static_cast<ssize_t>(count))
    throw system_error(errno, "read", "random numbers");
  return bytes;
}

}  // namespace topsctl
