// Reading of all members of a wheel.
#pragma once

#include <cstdint>
#include <functional>

#include "topsctl/host/archive/zip.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// What reading the members of a wheel may use.
struct WheelReading {
  static constexpr std::uint64_t usual_memory = 32U << 20U;

  unsigned threads = 1;
  // Bytes, for all threads together, to decompress members in; see ZipBuffers. 0: members are
  // refused whenever pip refuses them.
  std::uint64_t memory = usual_memory;
  // Told of bytes of the archive that are done, by any thread.
  std::function<void(std::uint64_t)> on_bytes = {};
};

// Reads every member once, the biggest first, and compares it with package.record;
// read_wheel_metadata() was called before. Fills `files` with what is there. Throws
// Error{bad_package} for members that cannot be read, Error{interrupted}.
Contents read_wheel_contents(const ZipReader& zip, Package& package, const WheelReading& reading);

}  // namespace topsctl
