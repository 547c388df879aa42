// Checks torch's files, ports and addresses.
#include "topsctl/engine/launch/launch_host.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The bound port; nothing if it is in use.
std::optional<int> bound_port(int wanted) {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener.is_open()) throw system_error(errno, "open", "a socket");
  const int yes = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(wanted));
  address.sin_addr.s_addr = htonl(wanted == 0 ? INADDR_LOOPBACK : INADDR_ANY);
  if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return std::nullopt;
  socklen_t size = sizeof address;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return std::nullopt;
  return ntohs(address.sin_port);
}

}  // namespace

LaunchEngine engine_of(const std::optional<PythonFacts>& python,
                       const std::map<std::string, std::string>& environment) {
  std::vector<std::string> folders;
  if (const auto path = environment.find("PYTHONPATH"); path != environment.end()) {
    for (std::string& folder : split(path->second, ':')) folders.push_back(std::move(folder));
  }
  if (python)
    folders.insert(folders.end(), python->site_directories.begin(), python->site_directories.end());
  for (const std::string& folder : folders) {
    std::error_code failure;
    const fs::path torch = fs::path(folder) / "torch";
    if (folder.empty() || !fs::is_directory(torch, failure)) continue;
    return fs::exists(torch / "distributed" / "run.py", failure) ? LaunchEngine::torchrun
                                                                 : LaunchEngine::topsctl;
  }
  return LaunchEngine::torchrun;
}

std::string free_port() {
  const auto port = bound_port(0);
  if (!port) throw Error(ErrorCode::host_unfit, "no free port", "give one: --master-port");
  return concat(*port);
}

void require_free_port(const std::string& port) {
  if (bound_port(std::stoi(port))) return;
  throw Error(ErrorCode::busy, format("port {} is in use", port),
              "stop the job that uses it, or omit --master-port");
}

std::string address_of_server(const std::map<std::string, std::string>& environment) {
  const auto connection = environment.find("SSH_CONNECTION");
  if (connection == environment.end()) return {};
  constexpr std::size_t fields = 4;  // client, its port, server, its port
  const std::vector<std::string> words = split(connection->second, ' ');
  return words.size() == fields ? words[2] : std::string();
}

std::string this_program() {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (failure) throw system_error(failure.value(), "read", "/proc/self/exe");
  return program.string();
}

}  // namespace topsctl
