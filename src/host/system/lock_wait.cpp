// Child processes that wait for locks: the lock belongs to the open file, which the parent shares.
#include "topsctl/host/system/lock_wait.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/process.hpp"

namespace topsctl {

namespace {

bool lock_and_wait(int file, LockKind kind) {
  if (kind == LockKind::whole) return ::flock(file, LOCK_EX) == 0;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return ::fcntl(file, F_OFD_SETLKW, &lock) == 0;
}

}  // namespace

BlockedCall::BlockedCall(const std::function<bool()>& call) {
  Pipe returned = make_pipe();
  const pid_t parent = ::getpid();
  // Our handlers would treat a signal to the child as one to us. Only SIGKILL ends it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    child_ = start_copy([&] {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      if (::getppid() != parent) return 1;
      const char result = call() ? 'y' : 'n';
      // Not only by its end: a program that another thread starts may inherit the pipe.
      static_cast<void>(!::write(returned.write_end.get(), &result, 1));
      return 0;
    });
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  returned_ = std::move(returned.read_end);
}

BlockedCall::~BlockedCall() {
  end();
}

bool BlockedCall::end() {
  if (child_ < 0) return false;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  ::fcntl(returned_.get(), F_SETFL, O_NONBLOCK);
  char result = 'n';
  return ::read(returned_.get(), &result, 1) == 1 && result == 'y';
}

bool lock_within(const Descriptor& file, LockKind kind, const WaitLimit& limit) {
  BlockedCall call([&] { return lock_and_wait(file.get(), kind); });
  wait_for({call.descriptor()}, limit);
  return call.end();
}

ReleaseWatch::ReleaseWatch(Descriptor file)
    : file_(std::move(file)), call_([this] {
        return ::flock(file_.get(), LOCK_SH) == 0 && ::flock(file_.get(), LOCK_UN) == 0;
      }) {}

}  // namespace topsctl
