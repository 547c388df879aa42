// A double of another machine: what would run there runs in a thread here, and connections can be
// cut.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transfer/receiver.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

// How the double misbehaves; shared by its connections.
struct AgentFaults {
  std::atomic<std::int64_t> bytes_until_cut = -1;  // of all connections together; -1: never
  std::atomic<unsigned> cuts = 0;                  // how many there were
  std::atomic<std::uint64_t> written_bytes = 0;    // to all of them
  // Changes what the far end says before it is heard.
  std::function<std::string(std::string)> alter;
  std::string instead;  // said in place of our line, if not empty
};

class AgentStream : public RemoteStream {
 public:
  AgentStream(const Host& host, AgentFaults& faults, const std::string& token)
      : faults_(faults), to_far_(make_pipe()), from_far_(make_pipe()) {
    said_ = faults.instead.empty() ? concat("Welcome to the lab\n", token, " run\n")
                                   : concat(token, " ", faults.instead, "\n");
    server_ = std::thread([this, &host] {
      serve_transfer(host, to_far_.read_end, from_far_.write_end);
      from_far_.write_end.close();
    });
  }
  ~AgentStream() override {
    to_far_.write_end.close();
    drain();
    server_.join();
  }

  void write(std::string_view bytes) override {
    faults_.written_bytes += bytes.size();
    if (faults_.bytes_until_cut >= 0) {
      const auto size = static_cast<std::int64_t>(bytes.size());
      if ((faults_.bytes_until_cut -= size) < 0) {
        faults_.bytes_until_cut = -1;
        ++faults_.cuts;
        is_cut_ = true;
      }
    }
    if (is_cut_) lose();
    while (!bytes.empty()) {
      const ssize_t written = ::write(to_far_.write_end.get(), bytes.data(), bytes.size());
      if (written <= 0) lose();
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  std::optional<std::string> read(std::int64_t timeout_ms) override {
    if (is_cut_) lose();
    if (!said_.empty()) return std::exchange(said_, "");
    std::array<pollfd, 2> watched = {{{from_far_.read_end.get(), POLLIN, 0}, {waker(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), WaitLimit(timeout_ms).poll_timeout());
    if (watched[0].revents == 0) return std::nullopt;
    std::string bytes(65536, '\0');
    bytes.resize(static_cast<std::size_t>(
        std::max<ssize_t>(::read(from_far_.read_end.get(), bytes.data(), bytes.size()), 0)));
    return faults_.alter ? faults_.alter(bytes) : bytes;
  }

  void end_input() override { to_far_.write_end.close(); }
  RemoteEnd finish() override {
    to_far_.write_end.close();
    drain();
    return {0, ""};
  }

 private:
  [[noreturn]] static void lose() { throw ConnectionLost("the connection was cut"); }
  void drain() {
    std::string bytes(65536, '\0');
    while (::read(from_far_.read_end.get(), bytes.data(), bytes.size()) > 0) {
    }
  }

  AgentFaults& faults_;
  Pipe to_far_;
  Pipe from_far_;
  std::string said_;
  bool is_cut_ = false;
  std::thread server_;
};

class AgentSession : public RemoteSession {
 public:
  AgentSession(const Host& host, AgentFaults& faults, std::string address)
      : host_(host), faults_(faults), address_(std::move(address)) {}
  std::string address() const override { return address_; }
  std::unique_ptr<RemoteStream> start(const std::string& command_line) override {
    const std::size_t at = command_line.find("topsctl-", command_line.find("echo "));
    const std::string token = command_line.substr(at, command_line.find(' ', at) - at);
    return std::make_unique<AgentStream>(host_, faults_, token);
  }

 private:
  const Host& host_;
  AgentFaults& faults_;
  const std::string address_;
};

class AgentEnd : public Remote {
 public:
  explicit AgentEnd(const std::filesystem::path& home) {
    host_.clock = &clock_;
    host_.environment = {{"HOME", home.string()}, {"SSH_CONNECTION", "127.0.0.1 1 127.0.0.1 22"}};
  }
  std::unique_ptr<RemoteSession> connect() override {
    ++connections;
    return std::make_unique<AgentSession>(host_, faults, address_);
  }

  AgentFaults faults;
  std::atomic<unsigned> connections = 0;
  // As in a container, or behind something else than SSH.
  void move_clock(std::chrono::seconds by) { clock_.ahead = by; }
  void be_reached_at(std::string address) { address_ = std::move(address); }
  void come_from(const std::string& client) {
    host_.environment["SSH_CONNECTION"] = concat(client, " 1 127.0.0.1 22");
  }
  void forget_address() { host_.environment.erase("SSH_CONNECTION"); }

 private:
  struct OtherClock : SystemClock {
    std::chrono::system_clock::time_point now() const override {
      return SystemClock::now() + ahead;
    }
    std::chrono::seconds ahead{0};
  };

  OtherClock clock_;
  Host host_;
  std::string address_;  // empty: none that is known
};

}  // namespace topsctl
