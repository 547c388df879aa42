// Reading of one package, wherever it lies.
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
  // Hears of every byte of the file once; may throw to end the reading.
  std::function<void(std::uint64_t bytes)> on_bytes;
};

// Fills `package`, whose kind, path and location are set, from its bytes, and `contents` when the
// depth is `deep`. A package that cannot be read gets the verdict `broken`; its digest and size are
// still those of all its bytes. Throws Error for everything but a bad package.
void read_package(Source& source, const std::string& file_name, const PackageReading& reading,
                  Package& package, Contents& contents);

}  // namespace topsctl
