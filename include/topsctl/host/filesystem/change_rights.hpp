// Who may change files: a program that root runs, or reads, must be root's alone to change.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Whether a user other than root or the caller can change the file, or a directory above it, also
// of what a link leads to; true for a missing file. Running such a file would give that user the
// caller's rights. Throws Error{host_unfit} for a loop of links.
bool can_others_change(const Host& host, const std::string& path);

// Throws Error{host_unfit} if the directory, or the one that a link leads to, belongs to another
// user than root or the caller, or others can write to it: they could forge what is read there, or
// put links where is written. The directories above are not looked at, nor is one that is missing.
void require_closed_folder(const std::filesystem::path& folder);
// The same after making one that is missing, mode 0755. Throws Error also if that fails.
void make_closed_folder(const std::filesystem::path& folder);

// The same for many files: each directory is examined once. The host must outlive it.
class ChangeRights {
 public:
  explicit ChangeRights(const Host& host) : host_(host) {}

  bool can_others_change(const std::string& path);

 private:
  const Host& host_;
  // Of each directory: where it really is, and whether others can change it or one above it.
  std::map<std::string, std::pair<std::string, bool>> directories_;
};

}  // namespace topsctl
