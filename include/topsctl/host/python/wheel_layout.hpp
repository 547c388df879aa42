// Names in wheels: of the file itself, of its metadata directory, and of the destinations of
// members.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "topsctl/host/archive/zip.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// PEP 427: {distribution}-{version}(-{build})?-{python}-{abi}-{platform}.whl
struct WheelFileName {
  std::string distribution;
  std::string version;
  std::string build;  // empty: none
  std::string tag;    // "py3.8-none-any"
  std::string platform;
};
// Nothing for any other name; a build tag begins with a digit.
std::optional<WheelFileName> parse_wheel_file_name(std::string_view file_name);

// Whether the directory has the metadata of a distribution of that name, in any spelling.
bool is_info_of(std::string_view folder, std::string_view distribution);

// The destination of a member: "x.data/purelib/a" is "a" in the site directory; "x.data/scripts/b"
// is a command "b"; "x.data/data/c" is below the interpreter's prefix. Other keys, and files
// directly in ".data", have no defined destination.
struct WheelDestination {
  enum class Kind { site, script, data, headers, elsewhere } kind = Kind::site;
  std::string path;
};
WheelDestination wheel_destination(std::string_view member);

// A member as an entry of the package: its path is relative to the site directory, or, if installed
// elsewhere, the path in the archive.
PayloadEntry wheel_file(const ZipEntry& entry);

// RECORD and its signatures cannot have their own digest in RECORD (PEP 427).
bool is_exempt_from_record(std::string_view member, std::string_view info_folder);

// Files that an installer itself writes: INSTALLER, REQUESTED, direct_url.json. Like pip, the
// wheel's own copies are not installed.
bool is_of_installer(std::string_view member, std::string_view info_folder);

// Whether a name is too long for a file system: at most 255 bytes are allowed.
bool is_name_too_long(std::string_view name);

}  // namespace topsctl
