// A double of a machine that takes files over SFTP: the real server of OpenSSH as a child process,
// behind a stream that can lie and be cut.
#pragma once

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

inline constexpr const char* sftp_server = "/usr/lib/openssh/sftp-server";

// How the double misbehaves; shared by its connections.
struct SftpFaults {
  std::int64_t bytes_until_cut = -1;  // that are written there; -1: never
  unsigned cuts = 0;
  std::function<std::string(std::string)> alter_said;
  std::function<std::string(std::string)> alter_heard;
};

// What is said is taken by a thread, as a connection takes what comes while it sends.
class SftpEndStream : public RemoteStream {
 public:
  explicit SftpEndStream(SftpFaults& faults) : faults_(faults) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw ConnectionLost("no sockets");
    ours_ = Descriptor(ends[0]);
    const Descriptor theirs(ends[1]);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(theirs.get(), STDIN_FILENO);
      ::dup2(theirs.get(), STDOUT_FILENO);
      ::execl(sftp_server, sftp_server, nullptr);
      ::_exit(127);
    }
    listener_ = std::thread([this] { listen(); });
  }
  ~SftpEndStream() override {
    ::shutdown(ours_.get(), SHUT_RDWR);
    listener_.join();
    ::waitpid(pid_, nullptr, 0);
  }

  void write(std::string_view bytes) override {
    if (faults_.bytes_until_cut >= 0) {
      faults_.bytes_until_cut -= static_cast<std::int64_t>(bytes.size());
      if (faults_.bytes_until_cut < 0) {
        faults_.bytes_until_cut = -1;
        ++faults_.cuts;
        is_cut_ = true;
      }
    }
    if (is_cut_) throw ConnectionLost("the connection was cut");
    std::string altered;
    if (faults_.alter_heard) bytes = altered = faults_.alter_heard(std::string(bytes));
    while (!bytes.empty()) {
      const ssize_t sent = ::send(ours_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) throw ConnectionLost("the server has gone");
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  std::optional<std::string> read(std::int64_t timeout_ms) override {
    if (is_cut_) throw ConnectionLost("the connection was cut");
    std::unique_lock<std::mutex> lock(mutex_);
    if (!said_later_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                              [this] { return !said_.empty(); })) {
      return std::nullopt;
    }
    std::string bytes = said_.front();
    if (!bytes.empty()) said_.pop_front();
    return bytes;
  }

  void end_input() override { ::shutdown(ours_.get(), SHUT_WR); }
  RemoteEnd finish() override { return {0, ""}; }

 private:
  void listen() {
    std::string bytes(256U << 10U, '\0');
    for (;;) {
      const ssize_t got = ::recv(ours_.get(), bytes.data(), bytes.size(), 0);
      std::string piece(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (faults_.alter_said && got > 0) piece = faults_.alter_said(std::move(piece));
      const std::lock_guard<std::mutex> lock(mutex_);
      if (got <= 0 || !piece.empty()) said_.push_back(std::move(piece));
      said_later_.notify_one();
      if (got <= 0) return;
    }
  }

  SftpFaults& faults_;
  Descriptor ours_;
  pid_t pid_ = -1;
  bool is_cut_ = false;
  std::mutex mutex_;  // of what follows
  std::condition_variable said_later_;
  std::deque<std::string> said_;  // an empty one is the end
  std::thread listener_;
};

// A program that says something, after a while, and ends.
class SaidStream : public RemoteStream {
 public:
  SaidStream(std::string said, int status, std::int64_t after_ms = 0)
      : said_(std::move(said)), status_(status), after_ms_(after_ms) {}
  void write(std::string_view /*bytes*/) override {}
  // Time passes only by what is waited for.
  std::optional<std::string> read(std::int64_t timeout_ms) override {
    if ((after_ms_ -= timeout_ms) > 0) return std::nullopt;
    return std::exchange(said_, "");
  }
  void end_input() override {}
  RemoteEnd finish() override { return {status_, ""}; }

 private:
  std::string said_;
  int status_;
  std::int64_t after_ms_;
};

class SftpEnd : public Remote {
 public:
  std::unique_ptr<RemoteSession> connect() override { return std::make_unique<Session>(*this); }

  SftpFaults faults;
  bool has_subsystem = true;
  // What becomes of a command line; what this gives back when it is not set.
  std::function<std::unique_ptr<RemoteStream>(const std::string&)> on_start;
  unsigned started = 0;

 private:
  class Session : public RemoteSession {
   public:
    explicit Session(SftpEnd& end) : end_(end) {}
    std::unique_ptr<RemoteStream> start(const std::string& command_line) override {
      ++end_.started;
      if (!end_.on_start) throw NotStarted("no programs here");
      return end_.on_start(command_line);
    }
    std::unique_ptr<RemoteStream> start_subsystem(const std::string& name) override {
      if (!end_.has_subsystem || name != "sftp") return RemoteSession::start_subsystem(name);
      return std::make_unique<SftpEndStream>(end_.faults);
    }

   private:
    SftpEnd& end_;
  };
};

}  // namespace topsctl
