// Temporary files for data that needs random access, such as a zip inside a tar.
#pragma once

#include <cstdint>
#include <string>

#include "topsctl/host/archive/source.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// The bytes of a source in an unnamed file in TMPDIR, else in /var/tmp. The file is removed with
// the object.
class Spool {
 public:
  // Throws Error{bad_package} for more than `most` bytes, Error{no_space} if the disk is full.
  Spool(Source& source, std::uint64_t most, const std::string& subject);
  FileRange range() const { return {file_.get(), 0, size_}; }

 private:
  Descriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace topsctl
