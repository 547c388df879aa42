// The machine worked on, and the seams to it.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "topsctl/host/system/process.hpp"

namespace topsctl {

// The seam to time; tests set their own.
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
// The time that such a text tells; the beginning of all times if it is none.
std::chrono::system_clock::time_point time_of(const std::string& timestamp);
// In the local time zone, for people: "2026-11-20 18:15".
std::string local_minute(std::chrono::system_clock::time_point time);

inline constexpr const char* system_state = "/var/lib/topsctl";
inline constexpr const char* system_logs = "/var/log/topsctl";

// A machine: its root directory and how to act on it. The runner and the clock must outlive it.
struct Host {
  std::filesystem::path root = "/";
  ProcessRunner* runner = nullptr;
  const Clock* clock = nullptr;
  std::map<std::string, std::string> environment;  // of topsctl itself
  // Where transactions and their logs lie, as the machine sees it.
  std::string state = system_state;
  std::string logs = system_logs;

  // Whether these are a user's own: then only that user's files can be changed.
  bool is_of_user() const { return state != system_state; }

  // Where `path`, as the machine sees it, lies for us; never outside the root. The last part is not
  // followed if it is a link.
  std::filesystem::path resolve_parent(std::string_view path) const;
  // The same with the last part followed: for reading.
  std::filesystem::path resolve(std::string_view path) const;
  // Where a path lies whose folders are known to hold no links (see canonical_in_root).
  std::filesystem::path join_canonical(std::string_view canonical) const;
  // The same for many paths: a path object takes itself apart, which costs more than the kernel.
  std::string join_canonical_text(std::string_view canonical) const;
  // A command to be run on the machine, with a plain environment: PATH, LC_ALL=C, no home. PATH is
  // the system's alone: /usr/local has what people and wheels put there.
  Command command(std::vector<std::string> argv, std::int64_t timeout_ms) const;
};

// PATH for scripts of packages and tools of vendors: what /usr/local has is found, and never in the
// system's stead.
inline constexpr const char* script_path =
    "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin";

// The environment of this process.
std::map<std::string, std::string> process_environment();
// Who asked for the work: SUDO_USER, else the name of the real user id, else its number.
std::string requesting_user(const std::map<std::string, std::string>& environment);
bool is_root_user();
// Where a user who is not root keeps transactions: $XDG_STATE_HOME/topsctl, else
// ~/.local/state/topsctl (XDG Base Directory Specification 0.8). Throws Error{host_unfit} if there
// is no home.
std::string state_of_user(const std::map<std::string, std::string>& environment);

}  // namespace topsctl
