// Reading of stretches of a file by pread(2).
#include "host/archive/zip_bytes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

std::uint64_t number_at(std::string_view bytes, std::size_t at, unsigned size) {
  std::uint64_t value = 0;
  for (unsigned i = size; i > 0; --i) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return value;
}

void read_at(const FileRange& range, std::uint64_t offset, char* to, std::size_t size,
             const std::string& subject) {
  bool is_short = offset > range.size || size > range.size - offset;
  while (size > 0 && !is_short) {
    const ssize_t got = ::pread(range.file, to, size, static_cast<off_t>(range.offset + offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", subject, ErrorCode::bad_package);
    is_short = got == 0;
    to += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  if (is_short) {
    throw unreadable_file(subject, "truncated");
  }
}

std::string bytes_at(const FileRange& range, std::uint64_t offset, std::size_t size,
                     const std::string& subject) {
  std::string bytes(size, '\0');
  read_at(range, offset, bytes.data(), size, subject);
  return bytes;
}

RangeWindow::RangeWindow(const FileRange& range, std::uint64_t begin, std::uint64_t end,
                         const std::string& subject)
    : range_(range), subject_(subject), next_(begin), end_(end) {}

std::string_view RangeWindow::peek(std::size_t size) {
  constexpr std::uint64_t window_size = 256U << 10U;
  if (window_.size() - at_ < size && next_ < end_) {
    window_.erase(0, at_);
    at_ = 0;
    const std::size_t had = window_.size();
    const std::uint64_t more =
        std::min(end_ - next_, std::max<std::uint64_t>(size, window_size) - had);
    window_.resize(had + more);
    read_at(range_, next_, window_.data() + had, more, subject_);
    next_ += more;
  }
  return std::string_view(window_).substr(at_, size);
}

}  // namespace topsctl
