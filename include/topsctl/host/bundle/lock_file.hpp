// Lock files on the disk, with their signatures.
#pragma once

#include <optional>
#include <string>

#include "topsctl/model/input_file.hpp"
#include "topsctl/model/lock.hpp"

namespace topsctl {

struct LockFile {
  Lock lock;
  std::string text;                      // its exact bytes
  std::optional<std::string> signature;  // of FILE.sig
  InputFile input;
};

// A lock from the command line. If FILE.sig exists, it must be a signature of a key that this host
// trusts. Throws Error{usage} if the file does not exist, Error{bad_package} if it is not a lock or
// its signature is rejected.
LockFile read_lock_file(const std::string& file);

// The lock for package selection: of the file, if one was named. Throws Error{bad_package} if its
// sha256 differs from the given one (empty: any), or if this host requires a signed lock; and the
// errors of read_lock_file().
std::optional<LockFile> chosen_lock(const std::optional<std::string>& file,
                                    const std::string& sha256 = {});

}  // namespace topsctl
