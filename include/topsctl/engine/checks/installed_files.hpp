// Whether the files of installed packages are as dpkg and pip recorded them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "topsctl/host/filesystem/digest_cache.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

struct DebFiles {
  std::vector<std::string> differences;  // "'/usr/lib/libx.so' is missing", in the list's order
  std::vector<std::string> unread;       // the same of files that cannot be read
  // Configuration files are the administrator's (policy 10.7.3): dpkg --verify marks them and goes
  // on.
  std::vector<std::string> changed_conffiles;
  std::size_t compared = 0;  // files with a recorded digest
};

// As for dpkg(1), --verify: files that other packages have diverted are looked for where they were
// diverted to, what another package has taken over is left out, and so is what dpkg's configuration
// leaves out. Links and folders have to be there, except below /run. With a cache, files that have
// not changed since they were noted there are not read. Throws Error{interrupted}.
DebFiles compare_deb_files(const Host& host, const InstalledDeb& deb, DigestCache* cache = nullptr);

// The last of these alone.
std::vector<std::string> changed_conffiles(const Host& host, const InstalledDeb& deb);

// The first file of RECORD (PEP 376) that is not there or not what RECORD says; empty: none.
std::string wheel_difference(const Host& host, const InstalledWheel& wheel,
                             DigestCache* cache = nullptr);

}  // namespace topsctl
