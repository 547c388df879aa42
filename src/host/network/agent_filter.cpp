// Passes messages of an agent on, and arranges its list of keys.
#include "host/network/agent_filter.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace topsctl {

namespace {

constexpr std::size_t most_message = 256U << 10U;
constexpr char request_identities = 11;
constexpr char identities_answer = 12;

std::uint32_t number_at(std::string_view text, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8U | static_cast<unsigned char>(text[at + i]);
  return number;
}

std::string number_text(std::size_t number) {
  std::string text;
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    text.push_back(static_cast<char>(number >> shift & 0xFFU));
  return text;
}

bool receive(int socket, std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t got = ::recv(socket, bytes.data() + at, bytes.size() - at, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<std::size_t>(got);
  }
  return true;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<std::string> message_from(int socket) {
  std::string head(4, '\0');
  if (!receive(socket, head)) return std::nullopt;
  const std::size_t size = number_at(head, 0);
  if (size == 0 || size > most_message) return std::nullopt;
  std::string message(size, '\0');
  if (!receive(socket, message)) return std::nullopt;
  return message;
}

Descriptor connected(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return {};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open() ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return {};
  return socket;
}

}  // namespace

std::string arranged_identities(const std::string& answer, const std::vector<std::string>& wanted,
                                OtherKeys others) {
  constexpr std::size_t head = 5;  // kind and number of keys
  if (answer.size() < head || answer.front() != identities_answer) return answer;
  std::vector<std::pair<std::size_t, std::string>> keys;  // rank, key and comment
  std::size_t at = head;
  for (std::uint32_t left = number_at(answer, 1); left > 0; --left) {
    const std::size_t begin = at;
    std::string blob;
    for (int part = 0; part < 2; ++part) {
      if (answer.size() - at < 4) return answer;
      const std::size_t size = number_at(answer, at);
      if (answer.size() - at - 4 < size) return answer;
      if (part == 0) blob = answer.substr(at + 4, size);
      at += 4 + size;
    }
    const auto found = std::find(wanted.begin(), wanted.end(), blob);
    if (found == wanted.end() && others == OtherKeys::none) continue;
    keys.emplace_back(found - wanted.begin(), answer.substr(begin, at - begin));
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string result(1, identities_answer);
  result += number_text(keys.size());
  for (const auto& [rank, key] : keys) result += key;
  return result;
}

AgentFilter::AgentFilter(const std::string& agent_socket, std::vector<std::string> wanted,
                         OtherKeys others)
    : wanted_(std::move(wanted)), others_(others), agent_(connected(agent_socket)) {
  std::array<int, 2> ends{};
  if (!agent_.is_open()) return;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    agent_.close();
    return;
  }
  ours_ = Descriptor(ends[0]);
  theirs_ = ends[1];
  thread_ = std::thread([this] { serve(); });
}

AgentFilter::~AgentFilter() {
  if (theirs_ >= 0) ::close(theirs_);
  if (!thread_.joinable()) return;
  ::shutdown(ours_.get(), SHUT_RDWR);
  ::shutdown(agent_.get(), SHUT_RDWR);
  thread_.join();
}

int AgentFilter::take_socket() {
  return std::exchange(theirs_, -1);
}

void AgentFilter::serve() {
  for (;;) {
    const auto question = message_from(ours_.get());
    if (!question || !send_all(agent_.get(), number_text(question->size()) + *question)) break;
    auto answer = message_from(agent_.get());
    if (!answer) break;
    if (question->front() == request_identities)
      *answer = arranged_identities(*answer, wanted_, others_);
    if (!send_all(ours_.get(), number_text(answer->size()) + *answer)) break;
  }
  ::shutdown(ours_.get(), SHUT_RDWR);
}

}  // namespace topsctl
