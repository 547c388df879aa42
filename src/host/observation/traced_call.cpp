// Registers of x86-64, which 32-bit programs use too.
#include "host/observation/traced_call.hpp"

#include <linux/audit.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "topsctl/host/system/filter_text.hpp"

namespace topsctl {

long trace(__ptrace_request request, pid_t process, std::uint64_t address, std::uint64_t data) {
  return ::ptrace(request, process, address, data);
}

#ifdef __x86_64__

namespace {

constexpr std::uint64_t compatible_segment = 0x23;  // of code of 32 bits
constexpr std::uint64_t call_size = 2;              // bytes of its instruction, each kind

bool set_registers(pid_t process, const user_regs_struct& registers) {
  return trace(PTRACE_SETREGS, process, 0, reinterpret_cast<std::uint64_t>(&registers)) == 0;
}

}  // namespace

bool can_trace_calls() {
  return true;
}

bool TracedCall::read() {
  if (trace(PTRACE_GETREGS, process_, 0, reinterpret_cast<std::uint64_t>(&registers_)) != 0)
    return false;
  // 64-bit programs may make calls of the other kind too (int 0x80); they have other numbers.
  constexpr std::uint16_t interrupt = 0x80CD;
  errno = 0;
  const long word = ::ptrace(PTRACE_PEEKTEXT, process_, registers_.rip - call_size, nullptr);
  is_readable_ = word != -1 || errno == 0;
  is_compatible_ = registers_.cs == compatible_segment ||
                   (is_readable_ && static_cast<std::uint16_t>(word) == interrupt);
  return true;
}

CallNotice TracedCall::notice() const {
  CallNotice notice;
  notice.process = process_;
  notice.number = static_cast<int>(registers_.orig_rax);
  if (is_compatible_) {
    notice.architecture = AUDIT_ARCH_I386;
    const std::array<std::uint64_t, 6> arguments = {registers_.rbx, registers_.rcx, registers_.rdx,
                                                    registers_.rsi, registers_.rdi, registers_.rbp};
    for (std::size_t i = 0; i < arguments.size(); ++i)
      notice.arguments.at(i) = static_cast<std::uint32_t>(arguments.at(i));
  } else {
    notice.architecture = own_architecture;
    notice.arguments = {registers_.rdi, registers_.rsi, registers_.rdx,
                        registers_.r10, registers_.r8,  registers_.r9};
  }
  return notice;
}

// No call has this number; the result stays as set here.
bool TracedCall::refuse(int reason) {
  registers_.orig_rax = static_cast<std::uint64_t>(-1);
  registers_.rax = static_cast<std::uint64_t>(-static_cast<std::int64_t>(reason));
  return set_registers(process_, registers_);
}

bool TracedCall::make_readable() {
  constexpr std::uint64_t compatible_prctl = 172;
  user_regs_struct other = registers_;
  other.orig_rax = is_compatible_ ? compatible_prctl : SYS_prctl;
  (is_compatible_ ? other.rbx : other.rdi) = PR_SET_DUMPABLE;
  (is_compatible_ ? other.rcx : other.rsi) = 1;
  if (!set_registers(process_, other) || trace(PTRACE_SYSCALL, process_) != 0) return false;
  int status = 0;
  while (::waitpid(process_, &status, __WALL) < 0) {
    if (errno != EINTR) return false;
  }
  errno = ESRCH;
  if (!WIFSTOPPED(status)) return false;
  errno = EPROTO;
  if (WSTOPSIG(status) != (SIGTRAP | 0x80)) return false;
  user_regs_struct again = registers_;
  again.rip -= call_size;
  again.rax = registers_.orig_rax;
  return set_registers(process_, again);
}

#else

bool can_trace_calls() {
  return false;
}
bool TracedCall::read() {
  errno = ENOSYS;
  return false;
}
CallNotice TracedCall::notice() const {
  return {};
}
bool TracedCall::refuse(int) {
  return false;
}
bool TracedCall::make_readable() {
  return false;
}

#endif

}  // namespace topsctl
