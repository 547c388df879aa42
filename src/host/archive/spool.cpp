// Writes a source into a nameless file.
#include "topsctl/host/archive/spool.hpp"

#include <unistd.h>

#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/file_access.hpp"

namespace topsctl {

Spool::Spool(Source& source, std::uint64_t most, const std::string& subject) {
  file_ = open_nameless_file();
  for (std::string_view bytes = source.piece(); !bytes.empty(); bytes = source.piece()) {
    if (bytes.size() > most - size_) {
      throw Error(ErrorCode::bad_package,
                  format("cannot read {}: larger than {}", in_quotes(subject), human_size(most)),
                  "no valid package is this large: get it again from the vendor");
    }
    while (!bytes.empty()) {
      const ssize_t done = ::write(file_.get(), bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw system_error(errno, "write", "a temporary file");
      bytes.remove_prefix(static_cast<std::size_t>(done));
      size_ += static_cast<std::uint64_t>(done);
    }
  }
}

}  // namespace topsctl
