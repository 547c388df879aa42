// Reads one package, from any source.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "topsctl/host/archive/decompress.hpp"
#include "topsctl/host/archive/source.hpp"
#include "topsctl/host/python/wheel_contents.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

struct PackageReading {
  Depth depth = Depth::digest;
  DecodeLimits limits;
  WheelReading wheel;
  // Receives each byte count of the file once; may throw to end the reading.
  std::function<void(std::uint64_t bytes)> on_bytes;
};

// Fills `package`, whose kind, path and location are set, from its bytes, and `contents` with
// Depth::deep. An unreadable package gets the verdict `broken`; its digest and size still cover all
// its bytes. Throws Error except for a bad package.
void read_package(Source& source, const std::string& file_name, const PackageReading& reading,
                  Package& package, Contents& contents);

}  // namespace topsctl
