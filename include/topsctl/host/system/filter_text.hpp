// Builds a system call filter (seccomp(2)) instruction by instruction.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace topsctl {

#if defined(__x86_64__)
inline constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#else
#error "system calls of this architecture are unknown"
#endif

// Judges a call by its number, then by its arguments: each comparison has one result.
class FilterText {
 public:
  // The offset of an argument's lower half; both architectures are little-endian.
  static constexpr std::uint32_t argument(std::size_t index) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * index);
  }

  // Empty.
  FilterText() = default;
  // Calls of other architectures get `foreign`; afterwards the call's number is loaded.
  explicit FilterText(std::uint32_t foreign) {
    load(offsetof(seccomp_data, arch));
    unless(BPF_JEQ, own_architecture, foreign);
    load_number(foreign);
  }

  // For calls of our own architecture.
  void load_number(std::uint32_t foreign) {
    load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
    constexpr std::uint32_t first_of_x32 = 0x40000000;
    when(BPF_JGE, first_of_x32, foreign);
#else
    static_cast<void>(foreign);
#endif
  }

  void add(sock_filter line) {
    lines_.at(used_++) = line;
  }
  void load(std::uint32_t offset) {
    add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
  }
  void keep_bits(std::uint32_t mask) {
    add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
  }
  void answer(std::uint32_t what) {
    add(BPF_STMT(BPF_RET | BPF_K, what));
  }
  void skip(std::uint16_t comparison, std::uint32_t value, std::uint8_t if_so,
            std::uint8_t if_not) {
    add(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | comparison), value, if_so, if_not));
  }
  void when(std::uint16_t comparison, std::uint32_t value, std::uint32_t what) {
    skip(comparison, value, 0, 1);
    answer(what);
  }
  void unless(std::uint16_t comparison, std::uint32_t value, std::uint32_t what) {
    skip(comparison, value, 1, 0);
    answer(what);
  }

  // Jumps over the instructions that are added until end_jump().
  std::size_t begin_jump() {
    add(BPF_STMT(BPF_JMP | BPF_JA, 0));
    return used_;
  }
  void end_jump(std::size_t begun) {
    lines_.at(begun - 1).k = static_cast<std::uint32_t>(used_ - begun);
  }

  // Installs the filter for this process, its future threads and its children. False with errno
  // set. Safe after fork.
  bool apply() const {
    const sock_fprog program = {used_, const_cast<sock_filter*>(lines_.data())};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }
  // The kernel's result for a call, for the instructions that this class generates.
  std::uint32_t answer_to(const seccomp_data& call) const {
    std::array<std::uint32_t, sizeof(seccomp_data) / sizeof(std::uint32_t)> words{};
    std::memcpy(words.data(), &call, sizeof call);
    std::uint32_t held = 0;
    for (std::size_t at = 0; at < used_; ++at) {
      const sock_filter& line = lines_.at(at);
      const auto jump = [&](bool is_so) { at += is_so ? line.jt : line.jf; };
      switch (line.code) {
        case BPF_LD | BPF_W | BPF_ABS:
          held = words.at(line.k / sizeof(std::uint32_t));
          break;
        case BPF_ALU | BPF_AND | BPF_K:
          held &= line.k;
          break;
        case BPF_JMP | BPF_JA:
          at += line.k;
          break;
        case BPF_JMP | BPF_K | BPF_JEQ:
          jump(held == line.k);
          break;
        case BPF_JMP | BPF_K | BPF_JGE:
          jump(held >= line.k);
          break;
        case BPF_JMP | BPF_K | BPF_JSET:
          jump((held & line.k) != 0);
          break;
        default:
          return line.k;  // an answer
      }
    }
    return SECCOMP_RET_KILL_PROCESS;
  }

 private:
  std::array<sock_filter, 512> lines_{};
  std::uint16_t used_ = 0;
};

}  // namespace topsctl
