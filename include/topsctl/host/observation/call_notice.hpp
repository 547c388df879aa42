// A system call that a process has begun, and the memory that its arguments point to.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>

namespace topsctl {

// The process is stopped in this call.
struct CallNotice {
  pid_t process = 0;
  std::uint32_t architecture = 0;  // AUDIT_ARCH_...
  int number = 0;
  std::array<std::uint64_t, 6> arguments{};
};

// Reads from a stopped process that this thread traces: a NUL-terminated text of at most PATH_MAX
// bytes, or exactly `size` bytes. Throws Error{permission} if they cannot be read.
std::string text_in_process(pid_t process, std::uint64_t address);
std::string bytes_in_process(pid_t process, std::uint64_t address, std::size_t size);

}  // namespace topsctl
