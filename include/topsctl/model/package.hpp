// Properties of a package file, and of all package files of a bundle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/model/finding.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

enum class PackageKind { deb, wheel, runfile, other };
std::string_view name(PackageKind kind);

// A wheel's Python requirements (PEP 425 tags, Requires-Python of the core metadata).
struct PythonNeeds {
  std::string requires_python;       // empty: not stated
  std::vector<std::string> tags;     // "py3.8-none-any", from the WHEEL file and the file name
  std::optional<std::string> minor;  // "3.8" if the tags mean exactly one minor version
  bool operator==(const PythonNeeds&) const = default;
};

// One entry of a package's payload.
struct PayloadEntry {
  enum class Type {
    file,
    directory,
    symlink,
    hardlink,
    character_device,
    block_device,
    fifo,
    other
  };
  std::string
      path;  // deb: absolute, normalized ("/usr/lib/libeccl.so"); wheel: relative to site-packages
  Type type = Type::file;
  std::uint64_t size = 0;        // bytes
  unsigned mode = 0;             // permission bits, 07777; 0: unknown
  std::string owner = {};        // "root/root" as in the archive; numbers if it has no names
  std::int64_t mtime = 0;        // seconds since 1970
  std::string link_target = {};  // symlink: as written; hardlink: a path like `path`
  bool operator==(const PayloadEntry&) const = default;
};
std::string_view name(PayloadEntry::Type type);

// One control script of a deb (policy chapter 6).
struct MaintainerScript {
  std::string name;  // "preinst", "postinst", "prerm", "postrm", "config"
  std::string text;
  bool operator==(const MaintainerScript&) const = default;
};

// Values of a deb's control archive beyond the common fields. Relations are the fields' values on
// one line (model/relation.hpp parses them).
struct DebFacts {
  std::string format;       // "2.0", or "0.939000" of deb-old(5)
  std::string compression;  // of the data archive: "none", "gzip", "xz", "zstd", "bzip2", "lzma"
  std::string source;
  std::string section;
  std::string maintainer;
  std::string summary;  // first line of Description
  std::string multi_arch;
  bool essential = false;
  std::string pre_depends;
  std::string depends;
  std::string recommends;
  std::string suggests;
  std::string breaks;
  std::string conflicts;
  std::string replaces;
  std::string provides;
  std::vector<std::string> conffiles;          // absolute paths
  std::vector<std::string> removed_conffiles;  // those that an upgrade to the package removes
  std::vector<MaintainerScript> scripts;
  std::string triggers;                      // the control member of that name
  std::vector<std::string> control_members;  // names, in order
  bool operator==(const DebFacts&) const = default;
};

// A fault of a wheel's metadata or names: pip rejects it, or no installer can handle it.
struct WheelFault {
  std::string finding;  // id in the catalogue of findings
  std::string place;    // a member, or a file of the metadata
  std::string why;
  bool operator==(const WheelFault&) const = default;
};

// A wheel's metadata beyond its tags.
struct WheelFacts {
  std::string file_name;      // the name part of the file name, as written: "torch_gcu"
  std::string file_version;   // the version part
  std::string dist_info;      // its metadata directory
  std::string build;          // build tag; empty: none
  std::string wheel_version;  // of the WHEEL file
  std::string generator;
  std::string summary;
  std::string license;
  bool root_is_purelib = false;
  std::vector<std::string> file_tags;      // from the file name, as written: one of
                                           // "py3.8-none-any"
  std::vector<std::string> wheel_tags;     // from the WHEEL file
  std::vector<std::string> code_at_start;  // .pth files with code, which every Python start runs
  std::vector<WheelFault> faults;          // reasons against the install, for any installer
  bool operator==(const WheelFacts&) const = default;
};

// Why a package is unusable: damaged bytes, a decompression bomb, or a property that dpkg rejects.
enum class Fault { damage, bomb, refused_by_dpkg };

enum class Verdict { component, archived, unknown, broken };
std::string_view name(Verdict verdict);

struct Package {
  std::string path;                    // as shown: relative to the given directory
  std::string location;                // path for opening it
  std::vector<std::string> container;  // archives that contain it, outermost first
  PackageKind kind = PackageKind::other;
  std::string name;
  std::string version;
  std::string architecture;
  std::optional<PythonNeeds> python;
  std::vector<std::string> depends;
  std::vector<std::string>
      displaces;  // deb: names in Conflicts, Breaks and Replaces, whose files dpkg may remove
  std::uint64_t size = 0;                       // bytes of the file
  std::optional<std::uint64_t> installed_size;  // bytes, as declared
  std::string sha256;
  std::string component;  // id in the stack; empty: none
  std::string stack;
  bool chosen = false;
  std::optional<std::vector<PayloadEntry>> files;
  bool files_are_claims = false;  // `files` comes from md5sums or the central directory, not from
                                  // the data
  std::optional<DebFacts> deb;
  std::optional<WheelFacts> wheel;
  std::vector<std::string> scripts;  // wheel: names of its commands
  std::string md5sums;               // deb: its md5sums file, for comparison with the installed one
  // deb without md5sums: digests of all its files, known after the payload was read. dpkg then
  // records them, some versions without configuration files.
  std::string payload_md5sums;
  std::string record;  // wheel: the text of RECORD, known after the payload was read
  Verdict verdict = Verdict::unknown;
  std::string problem;          // why the verdict is `broken`
  Fault fault = Fault::damage;  // cause of `broken`
  bool operator==(const Package&) const = default;
};

struct Inventory {
  std::vector<Package> packages;
  std::uint64_t other_files = 0;  // files that are not packages
  std::string release;            // the bundle's declared release, "2.5.136"; empty: none
};

// Without `files`: a list of many thousands is written entry by entry.
Json to_json(const Package& package);
// The source of a list's entries: the package's declarations, or the data itself.
enum class Listing { claimed, read };
Json to_json(const PayloadEntry& entry, Listing listing);

}  // namespace topsctl
