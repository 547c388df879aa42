// Names in wheels: of the file itself, of its metadata folder, and where members are installed.
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
// Nothing if it is not such a name; a build tag begins with a digit.
std::optional<WheelFileName> parse_wheel_file_name(std::string_view file_name);

// Whether the folder is the metadata of a distribution of that name, in whatever spelling.
bool is_info_of(std::string_view folder, std::string_view distribution);

// Where a member ends up: "x.data/purelib/a" is "a" of the site directory; "x.data/scripts/b" is a
// command "b"; "x.data/data/c" lies below the interpreter's prefix. For others than these five, and
// for a file directly in ".data", no installer knows a place.
struct WheelDestination {
  enum class Kind { site, script, data, headers, elsewhere } kind = Kind::site;
  std::string path;
};
WheelDestination wheel_destination(std::string_view member);

// A member as an entry of the package: its path is that below the site directory, or, for what is
// installed elsewhere, that in the archive.
PayloadEntry wheel_file(const ZipEntry& entry);

// RECORD and its signatures cannot have their own digest in RECORD (PEP 427).
bool is_exempt_from_record(std::string_view member, std::string_view info_folder);

// What an installer writes itself: INSTALLER, REQUESTED, direct_url.json. A wheel's own are not
// installed, as with pip.
bool is_of_installer(std::string_view member, std::string_view info_folder);

// Whether a file system takes no such name: one has at most 255 bytes.
bool is_name_too_long(std::string_view name);

}  // namespace topsctl
