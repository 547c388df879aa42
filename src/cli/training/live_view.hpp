// A picture on a terminal that is redrawn repeatedly.
#pragma once

#include <termios.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/non_blocking_streambuf.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool operator==(const TerminalSize&) const = default;
};
// The size of the terminal at a descriptor; the default size if it is unknown.
TerminalSize terminal_size(int descriptor);

// The first characters of a line that fit into this number of columns.
std::string fitting(std::string_view line, std::size_t columns);

// While it lives, keys are read as they are pressed, without echo; the picture uses the terminal's
// alternate screen, which is left afterwards.
class LiveView {
 public:
  LiveView();
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  // `picture` receives columns and rows; all lines except the last end with '\n'.
  using Picture = std::function<std::string(std::size_t columns, std::size_t rows)>;
  void draw(const Picture& picture);
  // Waits, and redraws when the terminal is resized. False if q was pressed, or a signal has come.
  bool wait(const WaitLimit& limit, const Picture& picture);

 private:
  termios before_{};
  bool has_keys_ = false;
  NonBlockingStreambuf buffer_;
  std::ostream out_;
};

}  // namespace topsctl
