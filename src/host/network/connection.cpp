// Reads from /proc how this process is connected to its operator.
#include "topsctl/host/network/connection.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

constexpr std::string_view variable = "SSH_CONNECTION";

// tcp_info of Linux since 4.6 (linux/tcp.h cannot be included together with the C library's
// header).
struct LaterTcpInfo {
  tcp_info usual;
  std::array<std::uint64_t, 4> rates_and_bytes;
  std::array<std::uint32_t, 3> segments;
  std::uint32_t min_rtt_us;
};

static_assert(offsetof(LaterTcpInfo, min_rtt_us) == 148);

std::string read_of(pid_t process, const char* name) {
  try {
    return read_text_if_present(concat("/proc/", process, "/", name)).value_or("");
  } catch (const Error&) {
    return "";  // another user's, or it has just ended
  }
}

// The fields behind the command's name, which may hold blanks: state, parent, ...
std::vector<std::string> status_of(pid_t process) {
  const std::string line = read_of(process, "stat");
  const auto name_end = line.rfind(") ");
  return name_end == std::string::npos ? std::vector<std::string>()
                                       : split(line.substr(name_end + 2), ' ');
}

std::string ssh_of_ancestors() {
  constexpr int most_ancestors = 64;
  pid_t process = ::getppid();
  for (int i = 0; i < most_ancestors && process > 1; ++i) {
    for (const std::string& entry : split(read_of(process, "environ"), '\0')) {
      if (entry.starts_with(concat(variable, "="))) return entry.substr(variable.size() + 1);
    }
    const std::vector<std::string> status = status_of(process);
    if (status.size() < 2 || !is_digits(status[1])) break;
    process = std::stoi(status[1]);
  }
  return "";
}

}  // namespace

Connection this_connection(const std::map<std::string, std::string>& environment) {
  Connection connection;
  const auto own = environment.find(std::string(variable));
  connection.ssh = own != environment.end() ? own->second : ssh_of_ancestors();
  const std::string login(trimmed(read_of(::getpid(), "sessionid")));
  constexpr std::string_view none = "4294967295";
  if (login != none) connection.login = login;
  const pid_t session = ::getsid(0);
  constexpr std::size_t started_at = 19;  // field 22 of the line
  const std::vector<std::string> leader = status_of(session);
  connection.session =
      concat(session, " ", leader.size() > started_at ? leader[started_at] : std::string());
  return connection;
}

std::string peer_address(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> text{};
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      (address.ss_family != AF_INET && address.ss_family != AF_INET6) ||
      ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, text.data(), text.size(),
                    nullptr, 0, NI_NUMERICHOST) != 0)
    return {};
  return text.data();
}

std::chrono::microseconds round_trip_of(int socket) {
  LaterTcpInfo found{};
  socklen_t size = sizeof found;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &found, &size) != 0) return {};
  return std::chrono::microseconds(found.min_rtt_us != 0 ? found.min_rtt_us : found.usual.tcpi_rtt);
}

bool is_same_connection(const Connection& a, const Connection& b) {
  if (!a.ssh.empty() || !b.ssh.empty()) return a.ssh == b.ssh;
  if (!a.login.empty() && !b.login.empty()) return a.login == b.login;
  return a.session == b.session;
}

std::string interface_with(const std::string& address) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  std::string name;
  for (const ifaddrs* each = list; each != nullptr && name.empty(); each = each->ifa_next) {
    if (each->ifa_addr == nullptr) continue;
    const int family = each->ifa_addr->sa_family;
    const void* number = nullptr;
    if (family == AF_INET)
      number = &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr;
    else if (family == AF_INET6)
      number = &reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr;
    else
      continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (::inet_ntop(family, number, text.data(), text.size()) != nullptr && address == text.data())
      name = each->ifa_name;
  }
  ::freeifaddrs(list);
  return name;
}

}  // namespace topsctl
