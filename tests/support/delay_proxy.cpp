// A TCP proxy on the loopback that delays what it forwards, both ways: a double of a long line, for
// those who may not make one. It has no limit of bandwidth, and no packets that could be lost.
//
//   delay_proxy MICROSECONDS PORT
//
// Writes the number of its own port, and forwards connections there to PORT. A 'c' on standard
// input cuts the line: nothing is forwarded, and nothing closed; an 'h' heals it. It ends with its
// standard input.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBlock = 256 * 1024;
constexpr size_t kMostWaiting = size_t{256} << 20;  // in one direction

Clock::duration delay;

// The line as a whole: cut or not.
struct Line {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_cut = false;

  void set(bool cut) {
    const std::lock_guard lock(mutex);
    is_cut = cut;
    changed.notify_all();
  }
  void wait_until_whole() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !is_cut; });
  }
} line;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// Two sockets, closed when neither direction needs them any more.
struct Connection {
  Connection(int one, int other) : client(one), server(other) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    close(client);
    close(server);
  }
  void break_off() const {
    shutdown(client, SHUT_RDWR);
    shutdown(server, SHUT_RDWR);
  }
  int client, server;
};

// One way of a connection: a thread that reads, and one that writes when it is time.
class Direction {
 public:
  static void run(const std::shared_ptr<Connection>& connection, int from, int to) {
    const auto direction = std::make_shared<Direction>(connection, from, to);
    std::thread([direction] { direction->read_all(); }).detach();
    std::thread([direction] { direction->write_all(); }).detach();
  }

  Direction(std::shared_ptr<Connection> connection, int from, int to)
      : connection_(std::move(connection)), from_(from), to_(to) {}

 private:
  struct Block {
    Clock::time_point due;
    std::vector<char> bytes;  // none: the end
  };

  void read_all() {
    std::vector<char> buffer(kBlock);
    ssize_t length = 1;
    while (length > 0) {
      line.wait_until_whole();
      length = recv(from_, buffer.data(), buffer.size(), 0);
      std::vector<char> bytes(buffer.begin(), buffer.begin() + std::max<ssize_t>(length, 0));
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return waiting_ < kMostWaiting; });
      waiting_ += bytes.size();
      blocks_.push_back({Clock::now() + delay, std::move(bytes)});
      changed_.notify_all();
    }
  }

  void write_all() {
    for (bool is_broken = false;;) {
      Block block;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !blocks_.empty(); });
        block = std::move(blocks_.front());
        blocks_.pop_front();
        waiting_ -= block.bytes.size();
        changed_.notify_all();
      }
      std::this_thread::sleep_until(block.due);
      line.wait_until_whole();
      if (block.bytes.empty()) break;
      if (!is_broken && !send_all(block.bytes)) {
        is_broken = true;
        connection_->break_off();
      }
    }
    shutdown(to_, SHUT_WR);
  }

  bool send_all(const std::vector<char>& bytes) const {
    for (size_t sent = 0; sent < bytes.size();) {
      const ssize_t count = send(to_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count < 0) return false;
      sent += static_cast<size_t>(count);
    }
    return true;
  }

  const std::shared_ptr<Connection> connection_;
  const int from_, to_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> blocks_;
  size_t waiting_ = 0;
};

void forward(int client, int port) {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    close(server);
    close(client);
    return;
  }
  const int on = 1;
  for (const int each : {client, server}) {
    setsockopt(each, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  const auto connection = std::make_shared<Connection>(client, server);
  Direction::run(connection, client, server);
  Direction::run(connection, server, client);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: delay_proxy MICROSECONDS PORT\n");
    return 2;
  }
  delay = std::chrono::microseconds(std::atoll(arguments[1]));
  const int port = std::atoi(arguments[2]);
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener, 128) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::fprintf(stderr, "delay_proxy: cannot listen: %s\n", std::strerror(errno));
    return 1;
  }
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  std::thread([listener, port] {
    for (int client = 0; (client = accept(listener, nullptr, nullptr)) >= 0;) forward(client, port);
  }).detach();
  for (char order = 0; read(STDIN_FILENO, &order, 1) == 1;) {
    if (order == 'c' || order == 'h') {
      line.set(order == 'c');
      std::printf("%s\n", order == 'c' ? "cut" : "whole");
      std::fflush(stdout);
    }
  }
  std::_Exit(0);  // the threads do not end by themselves
}
