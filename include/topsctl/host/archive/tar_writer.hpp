// Writes archives of texts: tar (ustar), compressed by zstd.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Regular files of mode 0600 with the time of their creation, in order. Needs about 4 MiB.
class TarZstWriter {
 public:
  // The descriptor must outlive it; `subject` appears in errors.
  TarZstWriter(const Descriptor& to, std::string subject);
  ~TarZstWriter();

  // `name`: relative, at most 255 bytes, and 100 in the last part; longer names are cut.
  void add(const std::string& name, std::string_view text);
  // The same with the bytes of a file from its start.
  void add_file(const std::string& name, const Descriptor& file, std::uint64_t size);
  // Required: without it the archive is truncated.
  void finish();

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace topsctl
