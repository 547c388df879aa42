// Output for people that never blocks the work it reports.
#pragma once

#include <streambuf>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Writes to a descriptor at once. A reader that accepts nothing for a while - a stopped terminal, a
// dead connection - gets nothing more until it accepts data again; the rest is dropped, and the
// stream stays good.
class NonBlockingStreambuf : public std::streambuf {
 public:
  explicit NonBlockingStreambuf(int descriptor, int timeout_ms = 2000);

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* bytes, std::streamsize size) override;

 private:
  void write_some(const char* bytes, std::size_t size);
  int descriptor_;
  Descriptor own_;  // the same file, opened in non-blocking mode
  int patience_ms_;
  bool is_stuck_ = false;
};

}  // namespace topsctl
