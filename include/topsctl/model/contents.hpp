// The results of one pass over all data of a package.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "topsctl/model/elf.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// A file that does not match the package's own list of digests.
struct Mismatch {
  enum class Kind { digest, size, missing, unlisted, no_digest };
  Kind kind = Kind::digest;
  std::string path;      // like PayloadEntry::path
  std::string expected;  // hex or base64 as in the list; empty if the list has no value
  std::string found;
  bool operator==(const Mismatch&) const = default;
};
std::string_view name(Mismatch::Kind kind);

struct ElfFile {
  std::string path;  // like PayloadEntry::path
  ElfFacts facts;
  bool operator==(const ElfFile&) const = default;
};

// An entry that no valid package contains; it was skipped.
struct StrangeEntry {
  enum class Kind {
    escapes,
    duplicate,
    link_escapes,
    hard_link_outside,
    device,
    too_large,
    bad_name
  };
  Kind kind = Kind::escapes;
  std::string path;    // as in the archive, made printable
  std::string detail;  // the link's target, the other entry
  bool operator==(const StrangeEntry&) const = default;
};
std::string_view name(StrangeEntry::Kind kind);

// A variable set in a text file of the bundle: NAME=VALUE.
struct Setting {
  std::string name;
  std::string value;
  bool operator==(const Setting&) const = default;
  auto operator<=>(const Setting&) const = default;
};

struct Contents {
  std::string list_name;              // "md5sums", "RECORD"; empty: none
  std::uint64_t files_checked = 0;    // files with a compared digest
  std::uint64_t unpacked_size = 0;    // bytes of all regular files
  std::vector<Mismatch> mismatches;   // at most 1000
  std::vector<StrangeEntry> strange;  // at most 1000
  std::vector<ElfFile> elf_files;
  std::vector<std::string>
      not_elf;  // files named as libraries (lib*.so*) that are not ELF; "path (16 bytes)"
  // Small files of a deb that say how it works, by path: programs whose names its maintainer
  // scripts have, udev rules, pkg-config's files, scripts of /etc/profile.d; not part of the JSON.
  std::map<std::string, std::string> texts;
  std::map<Setting, std::uint64_t>
      settings;  // variables of the vendor, with the number of occurrences
  bool operator==(const Contents&) const = default;
};

// [{name, value, count}]
Json to_json(const std::map<Setting, std::uint64_t>& settings);
Json to_json(const Contents& contents);

}  // namespace topsctl
