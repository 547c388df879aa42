// Runs programs under ptrace(2): each call that a filter reports stops its process until a verdict.
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
  // `socket`: of type SOCK_SEQPACKET; must stay open. `tracer`: the process at its other end.
  TracedStart(int socket, pid_t tracer);
  bool apply() const override;

 private:
  int socket_;
  pid_t tracer_;
  FilterText filter_;
};

// For a single-threaded process without other children. When it ends, its tracees get SIGKILL: no
// observed process continues unobserved.
class CallTracer {
 public:
  // Returns the errno for a reported call; 0: the kernel executes it.
  using Judge = std::function<int(const CallNotice&)>;
  // Receives errors about calls that could not be judged; the process has then got SIGKILL.
  using Tell = std::function<void(std::string)>;

  // Programs arrive over the socket; none may be started before this object exists.
  CallTracer(int socket, Judge judge, Tell tell);
  ~CallTracer();
  CallTracer(const CallTracer&) = delete;
  CallTracer& operator=(const CallTracer&) = delete;

  // Runs until the socket is closed and no tracee is left. Calls `is_over` several times per
  // second; once it is true, detaches from programs without a filter and allows the calls of the
  // others.
  void serve(const std::function<bool()>& is_over);

 private:
  class Waking;
  struct Tracee {
    bool is_in_call = false;  // without a filter: its next stop is the end of the call
  };

  // Like waitpid(2) for any tracee.
  pid_t next_stop(int& status) const;
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
  bool has_other_cpu_;
  std::unordered_map<pid_t, Tracee> tracees_;
  bool is_open_ = true;       // more programs may come
  bool is_filtered_ = false;  // the programs received so far
  bool is_over_ = false;
};

}  // namespace topsctl
