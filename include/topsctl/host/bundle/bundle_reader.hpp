// Reads all content of a bundle, including archives within archives.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "topsctl/host/bundle/bundle_files.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

struct BundleReading {
  Depth depth = Depth::digest;
  unsigned threads = 1;
  // Called before each package or archive is read, and as bytes of the given files have been read;
  // on any thread, but never concurrently.
  std::function<void(const std::string& path)> on_file;
  std::function<void(std::uint64_t done, std::uint64_t total)> on_bytes;
};

// All content of the given files, in their order. Lists unreadable packages and archives too.
// Throws Error{bad_bundle} if there is no package and no archive.
Inspection read_bundle(const FoundFiles& found, const BundleReading& reading);

}  // namespace topsctl
