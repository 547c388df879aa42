// Bytes and numbers of a zip archive in a file, read only by pread(2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "topsctl/host/archive/source.hpp"

namespace topsctl {

// A little-endian number of 1 to 8 bytes; `bytes` must hold it.
std::uint64_t number_at(std::string_view bytes, std::size_t at, unsigned size);

// Exactly `size` bytes of the range from `offset` on into `to`. Throws Error{bad_package}, naming
// `subject`, if the range or the file ends before: it may be cut while it is read.
void read_at(const FileRange& range, std::uint64_t offset, char* to, std::size_t size,
             const std::string& subject);
std::string bytes_at(const FileRange& range, std::uint64_t offset, std::size_t size,
                     const std::string& subject);

// A part of the range, read through a moving window.
class RangeWindow {
 public:
  // `range` and `subject` must outlive the window. A view holds up to 256 KiB.
  RangeWindow(const FileRange& range, std::uint64_t begin, std::uint64_t end,
              const std::string& subject);
  // How many bytes were not skipped yet.
  std::uint64_t left() const { return end_ - next_ + (window_.size() - at_); }
  // The next `size` bytes, fewer at the end; valid until the next call.
  std::string_view peek(std::size_t size);
  void skip(std::size_t size) { at_ += size; }

 private:
  const FileRange& range_;
  const std::string& subject_;
  std::uint64_t next_;  // start of the unread part
  std::uint64_t end_;
  std::string window_;
  std::size_t at_ = 0;
};

}  // namespace topsctl
