// The interface to other hosts: programs that run on them, with their standard streams.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/host/network/prompter.hpp"

namespace topsctl {

// A connection, or its remote program, is gone: a retry may succeed. The code is `unreachable`.
class ConnectionLost : public Error {
 public:
  explicit ConnectionLost(std::string message, std::string hint = {})
      : Error(ErrorCode::unreachable, std::move(message), std::move(hint)) {}
};

// The remote host answers, but does not start the requested program.
class NotStarted : public ConnectionLost {
 public:
  using ConnectionLost::ConnectionLost;
};

// The known answers were rejected, and no person may be asked: a retry is useless.
class AnswersSpent : public ConnectionLost {
 public:
  using ConnectionLost::ConnectionLost;
};

// The end of a remote program.
struct RemoteEnd {
  int status = -1;     // exit status; -1: killed by a signal, or unknown
  std::string errors;  // end of its standard error, at most 16 KiB, unchanged
};

// The last lines of remote output for a message: printable and short.
std::string last_words(std::string_view said);

// A running remote program. Every method throws ConnectionLost if the connection is lost,
// Error{interrupted, terminated} if topsctl was asked to stop. For one thread.
class RemoteStream {
 public:
  virtual ~RemoteStream() = default;
  // Writes all bytes to the program's standard input.
  virtual void write(std::string_view bytes) = 0;
  // Some of its standard output; nothing if none arrives within `timeout_ms`; empty at its end.
  virtual std::optional<std::string> read(std::int64_t timeout_ms) = 0;
  virtual void end_input() = 0;
  // Discards the remaining output, and waits for the end.
  virtual RemoteEnd finish() = 0;
  // Its standard error up to the last read, as far as it is kept.
  virtual std::string errors_so_far() const { return {}; }

  // read() also returns when this descriptor is readable; -1: none.
  void be_woken_by(int descriptor) { waker_ = descriptor; }

 protected:
  int waker() const { return waker_; }

 private:
  int waker_ = -1;
};

// Waits at most two seconds for the end of a program that ends by itself. Closing a channel while
// its program ends breaks the whole connection with asyncssh, and the next channel with dropbear.
void let_end(RemoteStream& program);

// One connection, or several if a server allows few programs per connection. For one thread; must
// outlive its streams, and the remote must outlive it.
class RemoteSession {
 public:
  virtual ~RemoteSession() = default;
  // Runs a command line in the remote login shell. Throws NotStarted if refused.
  virtual std::unique_ptr<RemoteStream> start(const std::string& command_line) = 0;
  // Starts a subsystem of the SSH server, such as "sftp". Throws NotStarted if it is missing, which
  // is the default.
  virtual std::unique_ptr<RemoteStream> start_subsystem(const std::string& name);
  // Round-trip time when the last program was started; 0: unknown.
  virtual std::chrono::microseconds round_trip() const { return {}; }
  // Numeric address for reaching the remote directly, without hosts between; empty: unknown.
  virtual std::string address() const { return {}; }
};

// A host that accepts any number of connections, from several threads.
class Remote {
 public:
  virtual ~Remote() = default;
  // Throws ConnectionLost, or Error{unreachable} if a retry is useless.
  virtual std::unique_ptr<RemoteSession> connect() = 0;
  // Called when the remote has proved its identity, before the login. `round_trip`: 0 if unknown.
  using Reached = std::function<void(std::chrono::microseconds round_trip)>;
  // The same; an exception from `on_reached` ends the connection. Does not call it if the host is
  // not reached before the login. Throws AnswersSpent only with Asking::never.
  virtual std::unique_ptr<RemoteSession> connect_in_steps(const Reached& on_reached, Asking asking);
};

}  // namespace topsctl
