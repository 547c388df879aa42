// The folder that received files are put into.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Whether a name of a received file stays within its folder and can be shown: relative, no empty
// part, no "." or "..", no control characters, UTF-8, none longer than file systems take.
bool is_safe_name(std::string_view name);

// Held open: what somebody puts in its place later is not written to.
class Destination {
 public:
  // Makes the folder if it is not there. Throws as require_own_folder.
  explicit Destination(const std::filesystem::path& folder);

  const std::filesystem::path& path() const { return path_; }
  // Whether `name` is this very file.
  bool holds(const std::filesystem::path& object, const std::string& name) const;
  // Gives the file the name, in place of whatever has it: as a link, or as a copy where no link can
  // be. On the disk when it returns, but for its folder. Throws Error{bad_bundle} for a name that
  // is not safe.
  void place(const std::filesystem::path& object, const std::string& name) const;
  void sync() const;

 private:
  // The folder of the name, made if it is not there; links are never followed.
  Descriptor folder_of(const std::string& name) const;

  std::filesystem::path path_;
  Descriptor folder_;
};

}  // namespace topsctl
