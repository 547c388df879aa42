// Writes a source into a nameless file.
#include "topsctl/host/archive/spool.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

Descriptor nameless_file(const std::string& folder) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  // Some file systems, and kernels before 3.11, have no nameless files.
  std::string name = concat(folder, "/topsctl-XXXXXX");
  file = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) throw system_error(errno, "make a temporary file in", folder);
  ::unlink(name.c_str());
  return file;
}

std::string spool_folder() {
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
  // /tmp is often memory, and what comes here may be large.
  return failure || folder == "/tmp" ? "/var/tmp" : folder.string();
}

}  // namespace

Spool::Spool(Source& source, std::uint64_t most, const std::string& subject) {
  const std::string folder = spool_folder();
  file_ = nameless_file(folder);
  for (std::string_view bytes = source.piece(); !bytes.empty(); bytes = source.piece()) {
    if (bytes.size() > most - size_) {
      throw Error(ErrorCode::bad_package,
                  format("cannot read {}: larger than {}", in_quotes(subject), human_size(most)),
                  "no package is so large: get it again from the vendor");
    }
    while (!bytes.empty()) {
      const ssize_t done = ::write(file_.get(), bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw system_error(errno, "write a temporary file in", folder);
      bytes.remove_prefix(static_cast<std::size_t>(done));
      size_ += static_cast<std::uint64_t>(done);
    }
  }
}

}  // namespace topsctl
