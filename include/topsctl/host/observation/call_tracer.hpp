// Programs under ptrace(2): each call that a filter tells stops its process until it is answered.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "topsctl/host/observation/call_notice.hpp"
#include "topsctl/host/observation/observed_calls.hpp"
#include "topsctl/host/system/filter_text.hpp"
#include "topsctl/host/system/process.hpp"

namespace topsctl {

// Lets the process at the other end of a socket trace the program and its descendants. With a
// seccomp filter, where one may be loaded, only the calls of observing_filter() stop them; without
// it, every call does. Without a tracer the program is not started.
class TracedStart : public ProcessSetup {
 public:
  // `socket`: of the type SOCK_SEQPACKET; it must stay open. `tracer`: the process at its other
  // end.
  TracedStart(int socket, pid_t tracer);
  bool apply() const override;

 private:
  int socket_;
  pid_t tracer_;
  FilterText filter_;
};

// For a process of one thread that has no other children. When it ends, what it traces gets
// SIGKILL: nothing that is observed goes on unobserved.
class CallTracer {
 public:
  // The errno that a told call is to fail with; 0: the kernel makes it.
  using Judge = std::function<int(const CallNotice&)>;
  // Hears of what could not be answered; the process has got SIGKILL then.
  using Tell = std::function<void(std::string)>;

  // Programs come by the socket; none may be started before this is there.
  CallTracer(int socket, Judge judge, Tell tell);
  ~CallTracer();
  CallTracer(const CallTracer&) = delete;
  CallTracer& operator=(const CallTracer&) = delete;

  // Until the socket is closed and nothing is left to trace. Asks several times in a second
  // whether it is over: then programs without a filter are let go, and the others' calls are made.
  void serve(const std::function<bool()>& is_over);

 private:
  class Waking;
  struct Tracee {
    bool is_in_call = false;  // without a filter: its next stop is the call's end
  };

  void look_around(const std::function<bool()>& is_over);
  void take_program();
  int seize(pid_t process);
  void let_go();
  void take(pid_t process, int status);
  // With the signal that stopped it, or 0.
  void go_on(pid_t process, int signal);
  void judge(pid_t process, Tracee& tracee);
  void give_up(pid_t process, int reason);

  int socket_;
  Judge judge_;
  Tell tell_;
  FilterText filter_;
  std::unique_ptr<Waking> waking_;
  std::unordered_map<pid_t, Tracee> tracees_;
  bool is_open_ = true;       // more programs may come
  bool is_filtered_ = false;  // those that have come
  bool is_over_ = false;
};

}  // namespace topsctl
