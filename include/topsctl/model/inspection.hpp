// The complete result of `topsctl inspect`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/model/contents.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// How much of the packages is read.
enum class Depth {
  fast,    // control, METADATA and the file lists; no data
  digest,  // also the sha256 of each package
  deep,    // also all data, once
};
std::string_view name(Depth depth);

// A file that contains packages: an archive or a self-extracting one. Directories are not listed.
struct ContainerFile {
  std::string path;                    // as Package::path
  std::vector<std::string> container;  // archives it lies in, outermost first
  std::string kind;                    // "tar", "zip", "runfile"
  std::string compression;             // "none", "gzip", "xz", "zstd", "bzip2", "lzma"
  std::uint64_t size = 0;
  std::string sha256;                  // empty: not read
  std::string label;                   // runfile: makeself's label
  std::string start_script;            // runfile: the script that it would run; never run here
  std::string problem;                 // why it could not be read completely; empty: it was
  std::vector<std::string> checksums;  // runfile: "md5 ok", "sha256 wrong", "crc not checked"
  bool operator==(const ContainerFile&) const = default;
};

// A file that is neither a package nor a container.
struct OtherFile {
  std::string path;
  std::vector<std::string> container;
  std::uint64_t size = 0;
  bool operator==(const OtherFile&) const = default;
};

struct Inspection {
  Depth depth = Depth::digest;
  Inventory inventory;
  std::map<std::size_t, Contents> contents;  // by index into inventory.packages; only with
                                             // Depth::deep
  std::vector<ContainerFile> containers;
  std::vector<OtherFile> others;  // at most 100,000; inventory.other_files has the total
  std::map<Setting, std::uint64_t>
      settings;  // variables set in scripts outside packages; only with Depth::deep
};

Json to_json(const ContainerFile& container);
Json to_json(const OtherFile& file);

}  // namespace topsctl
