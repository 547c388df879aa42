// Compares the files of installed packages with the records of dpkg and pip.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/host/filesystem/digest_cache.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

struct DebFiles {
  std::vector<std::string> differences;  // "'/usr/lib/libx.so' is missing", in the list's order
  std::vector<std::string> unread;       // the same for files that cannot be read
  // Configuration files belong to the administrator (policy 10.7.3): dpkg --verify marks them and
  // continues.
  std::vector<std::string> changed_conffiles;
  std::vector<std::string> open;  // "'/usr/lib/libx.so'": others than root can change it
  std::size_t compared = 0;       // files with a recorded digest
};

// Like dpkg(1), --verify: follows diversions of other packages, and skips files that another
// package has taken over or dpkg's configuration excludes. Links and directories must exist, except
// below /run. With a cache, files that have not changed since they were cached are not read. Throws
// Error{interrupted}.
DebFiles compare_deb_files(const Host& host, const InstalledDeb& deb, DigestCache* cache = nullptr);

// Only DebFiles::changed_conffiles.
std::vector<std::string> changed_conffiles(const Host& host, const InstalledDeb& deb);

// The first file of RECORD (PEP 376) that is missing or differs from RECORD; empty: none.
std::string wheel_difference(const Host& host, const InstalledWheel& wheel,
                             DigestCache* cache = nullptr);

// The first file of RECORD that users other than root or the caller can change; empty: none.
std::string open_file_of(const Host& host, const InstalledWheel& wheel);

// Throws Error{code} if other users can change one of the files, or put another in its place, on
// the host as it is; if that is accepted, adds a warning instead. Missing files do not count.
void require_closed(const Host& host, const LoadedFiles& loaded, ErrorCode code,
                    std::vector<std::string>& warnings);

}  // namespace topsctl
