// All that `topsctl inspect` found in what it was given.
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
  fast,    // control, METADATA and the lists of files; no data
  digest,  // and the sha256 of each package
  deep,    // and all data, once
};
std::string_view name(Depth depth);

// A file that holds packages: an archive or a self-extracting one. Folders are not listed.
struct ContainerFile {
  std::string path;                    // as Package::path
  std::vector<std::string> container;  // archives it lies in, outermost first
  std::string kind;                    // "tar", "zip", "runfile"
  std::string compression;             // "none", "gzip", "xz", "zstd", "bzip2", "lzma"
  std::uint64_t size = 0;
  std::string sha256;                  // empty: not read
  std::string label;                   // runfile: what makeself calls it
  std::string start_script;            // runfile: what it would run, never run here
  std::string problem;                 // why it could not be read to the end; empty: it was
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
  std::map<std::size_t, Contents> contents;  // by index into inventory.packages; only when deep
  std::vector<ContainerFile> containers;
  std::vector<OtherFile> others;  // at most 100,000; inventory.other_files has the number of all
  std::map<Setting, std::uint64_t>
      settings;  // variables set in scripts outside packages; only when deep
};

Json to_json(const ContainerFile& container);
Json to_json(const OtherFile& file);

}  // namespace topsctl
