// Decompression of streams, each by a library: gzip, xz, zstd, bzip2, lzma, lz4 and compress; and
// base64.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "topsctl/host/archive/source.hpp"

namespace topsctl {

// Resource limits of decoders.
struct DecodeLimits {
  unsigned threads = 1;                          // for formats that can use more than one
  std::uint64_t memory = 88ULL << 20U;           // bytes for one decoder; more is an error
  std::uint64_t threads_memory = 100ULL << 20U;  // bytes up to which several threads are used
  std::mutex* gate =
      nullptr;  // set: a decoder that needs more than 24 MiB waits for it and holds it
};

// "gzip", "xz", "zstd", "bzip2", "lzma", "lz4", "compress", "lzo", or "none", from the first bytes
// (18 are enough).
std::string_view compression_of(std::string_view first_bytes);

// The decompressed bytes. Verifies checksums; truncated data, and trailing bytes other than zeros,
// are errors. piece() throws Error{bad_package} with `subject`. `compression` is a result of
// compression_of, or "base64". "lzo" has no decoder and throws the same error. Truncation of
// "compress" cannot be detected.
std::unique_ptr<Source> decompressed(std::unique_ptr<Source> from, std::string_view compression,
                                     const DecodeLimits& limits, std::string subject);

}  // namespace topsctl
