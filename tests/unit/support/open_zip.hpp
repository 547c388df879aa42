// A zip on disk with its reader, for as long as a test looks at it.
#pragma once

#include <fcntl.h>

#include <string>

#include "temporary_folder.hpp"
#include "topsctl/host/archive/zip.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

class OpenZip {
 public:
  OpenZip(const std::string& name, const std::string& bytes)
      : file_(::open(folder_.write(name, bytes).c_str(), O_RDONLY | O_CLOEXEC)),
        reader_({file_.get(), 0, bytes.size()}, name) {}
  const ZipReader& reader() const { return reader_; }

 private:
  TemporaryFolder folder_;
  Descriptor file_;
  ZipReader reader_;
};

}  // namespace topsctl
