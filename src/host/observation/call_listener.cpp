// Takes calls and answers them, by ioctl(2) on the listener.
#include "topsctl/host/observation/call_listener.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/observation/observed_calls.hpp"
#include "topsctl/host/system/pipe.hpp"

namespace topsctl {

namespace {

// Whoever answers is woken on the processor of who waits (Linux 6.6).
constexpr unsigned long set_notice_flags = _IOW('!', 4, std::uint64_t);
constexpr std::uint64_t same_processor = 1;

// The kernel's own may be larger than that of our headers.
seccomp_notif_sizes sizes_of_kernel() {
  seccomp_notif_sizes sizes{};
  ::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes);
  sizes.seccomp_notif = std::max<std::uint16_t>(sizes.seccomp_notif, sizeof(seccomp_notif));
  sizes.seccomp_notif_resp =
      std::max<std::uint16_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp));
  return sizes;
}

std::vector<std::uint64_t> words_for(std::size_t bytes) {
  return std::vector<std::uint64_t>(bytes / sizeof(std::uint64_t) + 1);
}

bool is_ready(int descriptor, short events) {
  constexpr int patience_ms = 5'000;
  pollfd watched = {descriptor, events, 0};
  return ::poll(&watched, 1, patience_ms) > 0 && (watched.revents & (events | POLLHUP)) != 0;
}

constexpr const char* probed_path = "/nonexistent/topsctl-probe";
constexpr uid_t nobody_else = 65534;

// A process of another user that makes one call. Its exit status: 0 as it should be, else errno of
// the filter.
int make_one_call(int socket) {
  if (!ObservedStart(socket).apply()) return errno;
  if (::setresuid(nobody_else, nobody_else, nobody_else) != 0) return errno;
  return ::chmod(probed_path, 0) != 0 && errno == ENOENT ? 0 : ENOSYS;
}

std::string why_not_told(int reason) {
  if (reason == EBUSY) return format("topsctl runs under a seccomp filter with a listener");
  if (reason == EACCES || reason == EPERM)
    return format("topsctl may not filter system calls (CAP_SYS_ADMIN)");
  return format("this kernel does not tell system calls (seccomp user notification, Linux 5.9): {}",
                std::strerror(reason));
}

std::string why_not_read(CallListener& listener) {
  const auto notice = listener.receive();
  if (!notice) return why_not_told(ENOSYS);
  std::string reason;
  try {
    const CallShape* shape = shape_of_call(notice->architecture, notice->number);
    const auto at = shape == nullptr ? 0 : static_cast<std::size_t>(std::max<int>(shape->path, 0));
    if (text_in_process(notice->process, notice->arguments.at(at)) != probed_path)
      reason = why_not_told(EINVAL);
  } catch (const Error&) {
    reason = format("topsctl may not read the memory of other users' processes (CAP_SYS_PTRACE)");
  }
  listener.let_go_on(*notice);
  return reason;
}

}  // namespace

CallListener::CallListener(Descriptor listener) : listener_(std::move(listener)) {
  ::ioctl(listener_.get(), set_notice_flags, same_processor);
  const seccomp_notif_sizes sizes = sizes_of_kernel();
  notice_room_ = words_for(sizes.seccomp_notif);
  answer_room_ = words_for(sizes.seccomp_notif_resp);
}

std::optional<CallNotice> CallListener::receive() {
  // The kernel refuses a room that is not empty.
  std::fill(notice_room_.begin(), notice_room_.end(), 0);
  if (::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, notice_room_.data()) != 0)
    return std::nullopt;
  seccomp_notif told{};
  std::memcpy(&told, notice_room_.data(), sizeof told);
  CallNotice notice{told.id, static_cast<pid_t>(told.pid), told.data.arch, told.data.nr};
  std::copy(std::begin(told.data.args), std::end(told.data.args), notice.arguments.begin());
  return notice;
}

void CallListener::answer(const CallNotice& notice, int reason, std::uint32_t flags) {
  seccomp_notif_resp response{};
  response.id = notice.id;
  response.error = -reason;
  response.flags = flags;
  std::memcpy(answer_room_.data(), &response, sizeof response);
  // Fails if the caller is gone.
  ::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, answer_room_.data());
}

void CallListener::let_go_on(const CallNotice& notice) {
  answer(notice, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

void CallListener::refuse(const CallNotice& notice, int reason) {
  answer(notice, reason, 0);
}

Descriptor receive_listener(int socket) {
  int word = 0;
  return receive_descriptor(socket, word);
}

std::string bytes_in_process(pid_t process, std::uint64_t address, std::size_t size) {
  std::string bytes(size, '\0');
  const iovec here = {bytes.data(), bytes.size()};
  const iovec there = {reinterpret_cast<void*>(address), size};  // NOLINT: of another process
  const ssize_t got = ::process_vm_readv(process, &here, 1, &there, 1, 0);
  if (got < 0 || static_cast<std::size_t>(got) != size)
    throw Error(ErrorCode::permission, format("cannot read the memory of process {}", process));
  return bytes;
}

std::string text_in_process(pid_t process, std::uint64_t address) {
  constexpr std::uint64_t page = 4096;  // what follows one may belong to nobody
  constexpr std::uint64_t piece_size = 256;
  std::array<char, piece_size> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
  std::string text;
  while (text.size() < PATH_MAX) {
    const std::uint64_t from = address + text.size();
    const iovec here = {room.data(), std::min(piece_size, page - from % page)};
    const iovec there = {reinterpret_cast<void*>(from), here.iov_len};  // NOLINT: another's
    const ssize_t got = ::process_vm_readv(process, &here, 1, &there, 1, 0);
    if (got <= 0)
      throw Error(ErrorCode::permission, format("cannot read the memory of process {}", process));
    const std::string_view piece(room.data(), static_cast<std::size_t>(got));
    const auto end = piece.find('\0');
    text += piece.substr(0, end);
    if (end != std::string_view::npos) return text;
  }
  throw Error(ErrorCode::permission, format("a path of process {} is too long", process));
}

std::string why_not_observable() {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return why_not_told(errno);
  Descriptor ours(pair[0]);
  Descriptor theirs(pair[1]);
  const pid_t process = start_copy([&] {
    ours.close();
    return make_one_call(theirs.get());
  });
  theirs.close();
  Descriptor listener = is_ready(ours.get(), POLLIN) ? receive_listener(ours.get()) : Descriptor();
  std::string reason;
  const bool is_told = listener.is_open();
  CallListener calls(std::move(listener));
  if (is_told)
    reason = is_ready(calls.descriptor(), POLLIN) ? why_not_read(calls) : why_not_told(ETIME);
  int status = 0;
  if (!reason.empty()) ::kill(process, SIGKILL);
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!reason.empty()) return reason;
  if (!is_told) return why_not_told(WIFEXITED(status) ? WEXITSTATUS(status) : ENOSYS);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return why_not_told(ENOSYS);
  // Who serves a filter must learn of its end.
  pollfd watched = {calls.descriptor(), POLLIN, 0};
  constexpr int patience_ms = 1'000;
  ::poll(&watched, 1, patience_ms);
  return (watched.revents & POLLHUP) != 0 ? "" : why_not_told(ETIME);
}

}  // namespace topsctl
