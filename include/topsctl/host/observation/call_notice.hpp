// A system call that a process has begun, and the memory that its arguments point to.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>

namespace topsctl {

// The process waits in it.
struct CallNotice {
  pid_t process = 0;
  std::uint32_t architecture = 0;  // AUDIT_ARCH_...
  int number = 0;
  std::array<std::uint64_t, 6> arguments{};
};

// Of a process that this thread traces and that has stopped: a text that ends with a NUL, of at
// most PATH_MAX bytes; exactly so many bytes. Throws Error{permission} if they cannot be read.
std::string text_in_process(pid_t process, std::uint64_t address);
std::string bytes_in_process(pid_t process, std::uint64_t address, std::size_t size);

}  // namespace topsctl
