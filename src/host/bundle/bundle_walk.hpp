// Reads one file of a bundle with all its nested content.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "host/bundle/file_kind.hpp"
#include "host/bundle/package_reader.hpp"
#include "topsctl/host/archive/source.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

struct FoundPackage {
  Package package;
  Contents contents;
};

// The results for one file; parts of several files are merged in the order of the files.
struct BundlePart {
  std::vector<FoundPackage> packages;
  std::vector<ContainerFile> containers;
  std::vector<OtherFile> others;
  std::uint64_t other_files = 0;
  std::map<Setting, std::uint64_t> settings;
  std::string release;  // that a setup file names
};

// Options for reading the members of one file.
struct WalkReading {
  PackageReading package;
  std::function<void(const std::string& path)> on_file;
};

// Reads a file of a bundle from its first byte to its last, or less if the depth allows it. `path`
// is the shown name, `location` the path on the disk. Throws Error except for bad packages and
// archives.
void walk_file(Source& source, FileKind kind, const std::string& path, const std::string& location,
               const WalkReading& reading, BundlePart& part);

}  // namespace topsctl
