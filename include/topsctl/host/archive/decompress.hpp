// Decompression of streams: gzip, xz, zstd, bzip2, lzma, lz4 and compress, each by a library; and
// base64.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "topsctl/host/archive/source.hpp"

namespace topsctl {

// What decoders may use.
struct DecodeLimits {
  unsigned threads = 1;                          // for formats that can use more than one
  std::uint64_t memory = 88ULL << 20U;           // bytes for one decoder; more is refused
  std::uint64_t threads_memory = 100ULL << 20U;  // bytes up to which more threads are used
  std::mutex* gate =
      nullptr;  // set: a decoder that needs more than 24 MiB waits for it and holds it
};

// "gzip", "xz", "zstd", "bzip2", "lzma", "lz4", "compress", "lzo", or "none", from the first bytes
// (18 are enough).
std::string_view compression_of(std::string_view first_bytes);

// The decompressed bytes. Checksums are checked, and data that ends too early or is followed by
// anything but zero bytes is damaged. Throws Error{bad_package} from piece(), naming `subject`.
// `compression` as compression_of has it, or "base64". For "lzo" there is no decoder: that is said
// in the same way. Of "compress" nothing tells whether it ends too early.
std::unique_ptr<Source> decompressed(std::unique_ptr<Source> from, std::string_view compression,
                                     const DecodeLimits& limits, std::string subject);

}  // namespace topsctl
