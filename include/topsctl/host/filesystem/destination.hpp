// The directory for received files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Whether the name of a received file stays within its directory and can be displayed: relative, no
// empty part, no "." or "..", no control characters, valid UTF-8, no part longer than file systems
// allow.
bool is_safe_name(std::string_view name);

// Kept open: a directory that is put in its place later is not written to.
class Destination {
 public:
  // Creates the directory if missing. Throws the errors of require_own_folder.
  explicit Destination(const std::filesystem::path& folder);

  const std::filesystem::path& path() const { return path_; }
  // Whether `name` is this same file.
  bool holds(const std::filesystem::path& object, const std::string& name) const;
  // Puts the file at `name`, replacing any existing file: as a link, or as a copy where linking
  // fails. Durable on return, except for its directory. Throws Error{bad_bundle} for an unsafe
  // name.
  void place(const std::filesystem::path& object, const std::string& name) const;
  void sync() const;

 private:
  // The directory of the name, created if missing; never follows links.
  Descriptor folder_of(const std::string& name) const;

  std::filesystem::path path_;
  Descriptor folder_;
};

}  // namespace topsctl
