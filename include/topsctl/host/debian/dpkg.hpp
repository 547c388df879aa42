// dpkg's version and its frontend lock.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

inline constexpr const char* dpkg_directory = "/var/lib/dpkg";
inline constexpr const char* dpkg_status_file = "/var/lib/dpkg/status";

// dpkg's version, by running it. Throws Error{host_unfit} if dpkg is missing.
std::string dpkg_version(const Host& host);

// The path beside which dpkg(1) and dpkg-maintscript-helper(1) create files of such a name: "/a/b"
// for "/a/b.dpkg-new" and "/a/b.dpkg-bak". Empty for any other name.
std::string_view path_beside(std::string_view dpkg_sibling);

// Holds /var/lib/dpkg/lock-frontend while the object lives. First waits until /var/lib/dpkg/lock is
// free too: dpkg takes that one itself. DPKG_FRONTEND_LOCKED passes the state to dpkg child
// processes.
class DpkgFrontendLock {
 public:
  // Waits up to `timeout_ms`; calls `on_wait` once with a description of the holder. Throws
  // Error{busy}.
  DpkgFrontendLock(const Host& host, std::int64_t timeout_ms,
                   const std::function<void(const std::string&)>& on_wait);

  const std::string& waited_for() const { return waited_for_; }  // empty: no holder
  std::int64_t waited_ms() const { return waited_ms_; }

 private:
  Descriptor file_;
  std::string waited_for_;
  std::int64_t waited_ms_ = 0;
};

}  // namespace topsctl
