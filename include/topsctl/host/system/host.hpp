// The host that is worked on, and the interfaces to it.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "topsctl/host/system/process.hpp"

namespace topsctl {

// The interface to time; tests use their own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::system_clock::time_point now() const = 0;
  virtual std::chrono::steady_clock::time_point steady() const = 0;
};

class SystemClock : public Clock {
 public:
  std::chrono::system_clock::time_point now() const override;
  std::chrono::steady_clock::time_point steady() const override;
};

// RFC 3339 in UTC, seconds: "2026-11-20T10:15:00Z".
std::string timestamp(std::chrono::system_clock::time_point time);
// Parses such a text; the minimum time point if it is invalid.
std::chrono::system_clock::time_point time_of(const std::string& timestamp);
// In the local time zone, for display: "2026-11-20 18:15".
std::string local_minute(std::chrono::system_clock::time_point time);

inline constexpr const char* system_state = "/var/lib/topsctl";
inline constexpr const char* system_logs = "/var/log/topsctl";

// A host: its root directory and the means to act on it. The runner and the clock must outlive it.
struct Host {
  std::filesystem::path root = "/";
  ProcessRunner* runner = nullptr;
  const Clock* clock = nullptr;
  std::map<std::string, std::string> environment;  // of topsctl itself
  // Directories of transactions and their logs, as paths on the host.
  std::string state = system_state;
  std::string logs = system_logs;

  // Whether they belong to a user: then only that user's files can be changed.
  bool is_of_user() const { return state != system_state; }

  // Converts a path on the host to a path of this process; never outside the root. Does not follow
  // the last part if it is a link.
  std::filesystem::path resolve_parent(std::string_view path) const;
  // The same, but follows the last part: for reading.
  std::filesystem::path resolve(std::string_view path) const;
  // The same for a path whose directories are known to contain no links (see canonical_in_root).
  std::filesystem::path join_canonical(std::string_view canonical) const;
  // The same as text, for many paths: a path object splits itself, which costs more than the kernel
  // call.
  std::string join_canonical_text(std::string_view canonical) const;
  // A command for the host with a minimal environment: PATH, LC_ALL=C, no home. PATH has only
  // system directories, because users and wheels install into /usr/local.
  Command command(std::vector<std::string> argv, std::int64_t timeout_ms) const;
};

// PATH for package scripts and vendor tools: includes /usr/local, after the system's directories.
inline constexpr const char* script_path =
    "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin";

// The environment of this process.
std::map<std::string, std::string> process_environment();
// The user who requested the work: SUDO_USER, else the name of the real user id, else its number.
std::string requesting_user(const std::map<std::string, std::string>& environment);
bool is_root_user();
// The state directory of a non-root user: $XDG_STATE_HOME/topsctl, else ~/.local/state/topsctl (XDG
// Base Directory Specification 0.8). Throws Error{host_unfit} if there is no home.
std::string state_of_user(const std::map<std::string, std::string>& environment);

}  // namespace topsctl
