// Reads all members of a wheel.
#pragma once

#include <cstdint>
#include <functional>

#include "topsctl/host/archive/zip.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Resources and options for reading the members of a wheel.
struct WheelReading {
  static constexpr std::uint64_t usual_memory = 32U << 20U;

  unsigned threads = 1;
  // Bytes, for all threads together, for decompressing members at once; see ZipBuffers. 0: members
  // are rejected exactly when pip rejects them.
  std::uint64_t memory = usual_memory;
  // Receives numbers of archive bytes that are done, on any thread.
  std::function<void(std::uint64_t)> on_bytes = {};
};

// Reads every member once, the largest first, and compares it with package.record;
// read_wheel_metadata() must have been called. Fills `files`. Throws Error{bad_package} for members
// that cannot be read, Error{interrupted}.
Contents read_wheel_contents(const ZipReader& zip, Package& package, const WheelReading& reading);

}  // namespace topsctl
