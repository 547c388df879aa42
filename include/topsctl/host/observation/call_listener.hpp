// The end of a filter of calls at which they are told, and what else there is to know of a caller.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// A call that a process has begun, and waits in.
struct CallNotice {
  std::uint64_t id = 0;
  pid_t process = 0;
  std::uint32_t architecture = 0;
  int number = 0;
  std::array<std::uint64_t, 6> arguments{};
};

class CallListener {
 public:
  explicit CallListener(Descriptor listener);

  // Readable when there is a call; hung up when no process is left that the filter is for.
  int descriptor() const { return listener_.get(); }
  // Nothing if the caller is gone.
  std::optional<CallNotice> receive();
  // The kernel makes the call.
  void let_go_on(const CallNotice& notice);
  // The call fails with this errno.
  void refuse(const CallNotice& notice, int reason);

 private:
  void answer(const CallNotice& notice, int reason, std::uint32_t flags);

  Descriptor listener_;
  // As large as the kernel wants them.
  std::vector<std::uint64_t> notice_room_;
  std::vector<std::uint64_t> answer_room_;
};

// A listener that ObservedStart has sent; not open: nothing was sent, or the other end is gone.
Descriptor receive_listener(int socket);

// Of a process: a text that ends with a NUL, of at most PATH_MAX bytes; exactly so many bytes.
// Throws Error{permission} if they cannot be read.
std::string text_in_process(pid_t process, std::uint64_t address);
std::string bytes_in_process(pid_t process, std::uint64_t address, std::size_t size);

// Why calls of programs that are started here cannot be told; empty: they can. Tries it.
std::string why_not_observable();

}  // namespace topsctl
