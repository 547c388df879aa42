// Lock files on the disk, with what proves who wrote them.
#pragma once

#include <optional>
#include <string>

#include "topsctl/model/input_file.hpp"
#include "topsctl/model/lock.hpp"

namespace topsctl {

struct LockFile {
  Lock lock;
  std::string text;                      // its very bytes
  std::optional<std::string> signature;  // of FILE.sig
  InputFile input;
};

// A lock that was named on the command line. If FILE.sig is beside it, that must be a signature of
// a key that is trusted on this machine. Throws Error{usage} if there is no such file,
// Error{bad_package} if it is no lock or if its signature is refused.
LockFile read_lock_file(const std::string& file);

// The lock that packages are taken by: of the file, if one was named. Throws Error{bad_package} if
// its sha256 is not this one (empty: any), or if this machine demands a signed one; and what
// read_lock_file() throws.
std::optional<LockFile> chosen_lock(const std::optional<std::string>& file,
                                    const std::string& sha256 = {});

}  // namespace topsctl
