// Reading of all that lies in a bundle, archives within archives included.
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
  // Called before each file or member that is a package or an archive is read, and as bytes of the
  // given files have been read; from any thread, but never two at once.
  std::function<void(const std::string& path)> on_file;
  std::function<void(std::uint64_t done, std::uint64_t total)> on_bytes;
};

// All that is in the given files, in their order. Packages and archives that cannot be read are
// listed as such. Throws Error{bad_bundle} if there is no package and no archive at all.
Inspection read_bundle(const FoundFiles& found, const BundleReading& reading);

}  // namespace topsctl
