// The seam to other machines: programs that run there, with their standard streams.
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

// A connection, or the program at its far end, is gone: another try may succeed. Its code is
// `unreachable`.
class ConnectionLost : public Error {
 public:
  explicit ConnectionLost(std::string message, std::string hint = {})
      : Error(ErrorCode::unreachable, std::move(message), std::move(hint)) {}
};

// The far end is there, but starts nothing of what it was asked for.
class NotStarted : public ConnectionLost {
 public:
  using ConnectionLost::ConnectionLost;
};

// What is known already lets nobody in, and nobody was to be asked: another try is in vain.
class AnswersSpent : public ConnectionLost {
 public:
  using ConnectionLost::ConnectionLost;
};

// How a program at the far end came to its end.
struct RemoteEnd {
  int status = -1;     // exit status; -1: ended by a signal, or not known
  std::string errors;  // end of its standard error, at most 16 KiB, as it came
};

// The last lines of what a far end said, fit for a message: printable, and not long.
std::string last_words(std::string_view said);

// A program that runs at the far end. Every method throws ConnectionLost when the connection is
// lost, Error{interrupted, terminated} when topsctl was asked to stop. Of one thread.
class RemoteStream {
 public:
  virtual ~RemoteStream() = default;
  // All of it, to the program's standard input.
  virtual void write(std::string_view bytes) = 0;
  // Some of its standard output; nothing when none comes within `timeout_ms`; empty at its end.
  virtual std::optional<std::string> read(std::int64_t timeout_ms) = 0;
  virtual void end_input() = 0;
  // Drops what output is left, and waits for the end.
  virtual RemoteEnd finish() = 0;
  // What it has said on standard error up to the last read, as far as that is kept.
  virtual std::string errors_so_far() const { return {}; }

  // Nothing is read, either, once this descriptor is readable; -1: there is none.
  void be_woken_by(int descriptor) { waker_ = descriptor; }

 protected:
  int waker() const { return waker_; }

 private:
  int waker_ = -1;
};

// Waits, for two seconds at most, until a program has ended that ends by itself. A channel that is
// closed while its program ends costs the whole connection with asyncssh, and the next channel with
// dropbear.
void let_end(RemoteStream& program);

// One connection, or as many as it takes where a server bears few programs on one. Of one thread;
// it outlives its streams, and the remote outlives it.
class RemoteSession {
 public:
  virtual ~RemoteSession() = default;
  // Runs a command line in the login shell of the far end. Throws NotStarted if it may not.
  virtual std::unique_ptr<RemoteStream> start(const std::string& command_line) = 0;
  // Starts what the SSH server there has under a name, such as "sftp". Throws NotStarted where it
  // has nothing, as every far end that does not say otherwise.
  virtual std::unique_ptr<RemoteStream> start_subsystem(const std::string& name);
  // How long a question and its answer took when a program was last started; 0: not known.
  virtual std::chrono::microseconds round_trip() const { return {}; }
  // Where the far end is reached without other hosts between, numeric; empty: nowhere that is
  // known.
  virtual std::string address() const { return {}; }
};

// A machine that can be connected to, any number of times and by several threads.
class Remote {
 public:
  virtual ~Remote() = default;
  // Throws ConnectionLost, or Error{unreachable} where another try is in vain.
  virtual std::unique_ptr<RemoteSession> connect() = 0;
  // Called when the far end has proved that it is the one that is meant, and nobody is logged in
  // yet. `round_trip`: how long a question and its answer take; 0: not known.
  using Reached = std::function<void(std::chrono::microseconds round_trip)>;
  // The same; what `on_reached` throws ends the connection. Where nothing is reached before it is
  // logged in to, it is called never. Throws AnswersSpent only where nobody may be asked.
  virtual std::unique_ptr<RemoteSession> connect_in_steps(const Reached& on_reached, Asking asking);
};

}  // namespace topsctl
