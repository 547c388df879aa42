// While it lives, writing to what nobody reads ends no test: as watch_signals() has it in the
// program.
#pragma once

#include <csignal>

namespace topsctl {

class NoSigpipe {
 public:
  NoSigpipe() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~NoSigpipe() { std::signal(SIGPIPE, before_); }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  void (*before_)(int);
};

}  // namespace topsctl
