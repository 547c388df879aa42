// The host that is worked on: its root, its clock, its environment.
#include "topsctl/host/system/host.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

std::chrono::system_clock::time_point SystemClock::now() const {
  return std::chrono::system_clock::now();
}

std::chrono::steady_clock::time_point SystemClock::steady() const {
  return std::chrono::steady_clock::now();
}

std::string timestamp(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::chrono::system_clock::time_point time_of(const std::string& timestamp) {
  std::tm parts{};
  const char* end = ::strptime(timestamp.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return {};
  return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

std::string local_minute(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts);
  return text.data();
}

std::filesystem::path Host::resolve_parent(std::string_view path) const {
  return resolved_in_root(root, path);
}

std::filesystem::path Host::resolve(std::string_view path) const {
  return resolved_in_root(root, path, LastLink::follow);
}

std::filesystem::path Host::join_canonical(std::string_view canonical) const {
  return join_canonical_text(canonical);
}

std::string Host::join_canonical_text(std::string_view canonical) const {
  return root.native() == "/" ? std::string(canonical) : concat(root.native(), canonical);
}

Command Host::command(std::vector<std::string> argv, std::int64_t timeout_ms) const {
  Command command;
  command.argv = std::move(argv);
  command.root = root;
  command.timeout_ms = timeout_ms;
  command.environment = {
      {"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"},
      // Messages are in English; names may be in any script (Python 3.6 accepts no other locale for
      // that).
      {"LC_ALL", "C.UTF-8"},
      {"HOME", "/nonexistent"},  // no user's configuration is read
  };
  return command;
}

std::map<std::string, std::string> process_environment() {
  std::map<std::string, std::string> environment;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) {
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return environment;
}

std::string requesting_user(const std::map<std::string, std::string>& environment) {
  if (const auto sudo = environment.find("SUDO_USER");
      sudo != environment.end() && is_root_user()) {
    return printable(sudo->second);
  }
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_name : concat(::getuid());
}

std::string state_of_user(const std::map<std::string, std::string>& environment) {
  // A relative path must be ignored.
  const auto absolute = [&](const char* name) {
    const auto found = environment.find(name);
    return found != environment.end() && found->second.starts_with('/') ? found->second
                                                                        : std::string();
  };
  if (const std::string state = absolute("XDG_STATE_HOME"); !state.empty())
    return concat(state, "/topsctl");
  std::string home = absolute("HOME");
  if (const passwd* entry = ::getpwuid(::geteuid()); home.empty() && entry != nullptr)
    home = entry->pw_dir;
  if (!home.starts_with('/')) {
    throw Error(ErrorCode::host_unfit, "no home directory to keep transactions in",
                "set a directory for them: XDG_STATE_HOME=DIR");
  }
  return concat(home, "/.local/state/topsctl");
}

bool is_root_user() {
  return ::geteuid() == 0;
}

}  // namespace topsctl
