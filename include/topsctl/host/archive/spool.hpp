// Room on the disk for what can only be read by jumping about in it, such as a zip inside a tar.
#pragma once

#include <cstdint>
#include <string>

#include "topsctl/host/archive/source.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// The bytes of a source in a file without a name, gone when the object goes. It lies in TMPDIR,
// else in /var/tmp.
class Spool {
 public:
  // Throws Error{bad_package} if there are more than `most` bytes, Error{no_space} if the disk is
  // full.
  Spool(Source& source, std::uint64_t most, const std::string& subject);
  FileRange range() const { return {file_.get(), 0, size_}; }

 private:
  Descriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace topsctl
