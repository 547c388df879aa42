// One decoder per compressed format; other sub-rooms use decompress.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "topsctl/host/archive/decompress.hpp"

namespace topsctl {

// Decompresses bytes. Its error messages do not name the file.
class Decoder {
 public:
  struct Step {
    std::size_t used = 0;  // bytes of the input
    std::size_t made = 0;  // bytes of output
    bool ended = false;    // the stream is complete, its checksum compared
  };
  virtual ~Decoder() = default;
  // Consumes `input` and fills `to`; `is_last`: the input ends here. Throws Error{bad_package} for
  // damaged data and if it would need more memory than allowed.
  virtual Step step(std::string_view input, char* to, std::size_t room, bool is_last) = 0;
  // Prepares for another stream after the end of one.
  virtual void restart() = 0;
};

std::unique_ptr<Decoder> gzip_decoder();                          // RFC 1952
std::unique_ptr<Decoder> xz_decoder(const DecodeLimits& limits);  // .xz 1.1.0, several threads
std::unique_ptr<Decoder> lzma_decoder(const DecodeLimits& limits);
std::unique_ptr<Decoder> zstd_decoder(const DecodeLimits& limits);  // RFC 8878
std::unique_ptr<Decoder> bzip2_decoder();
std::unique_ptr<Decoder> lz4_decoder();     // frames, as lz4(1) writes them
std::unique_ptr<Decoder> base64_decoder();  // RFC 4648

}  // namespace topsctl
