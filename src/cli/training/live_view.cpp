// The alternate screen, unbuffered keys, and the size of the terminal.
#include "cli/training/live_view.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <iterator>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr const char* enter_screen = "\x1b[?1049h\x1b[?25l";
constexpr const char* leave_screen = "\x1b[?25h\x1b[?1049l";
constexpr const char* from_the_top = "\x1b[H";
constexpr const char* clear_rest_of_line = "\x1b[K";
constexpr const char* clear_below = "\x1b[J";
// It only ends a wait.
void note_resize(int) {}

}  // namespace

TerminalSize terminal_size(int descriptor) {
  struct winsize size {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {};
  return {size.ws_col, size.ws_row};
}

std::string fitting(std::string_view line, std::size_t columns) {
  std::size_t width = 0;
  std::size_t end = 0;
  while (end < line.size()) {
    std::size_t next = end + 1;
    while (next < line.size() && (static_cast<unsigned char>(line[next]) & 0xC0U) == 0x80U) ++next;
    width += display_width(line.substr(end, next - end));
    if (width > columns) break;
    end = next;
  }
  return std::string(line.substr(0, end));
}

LiveView::LiveView() : buffer_(STDOUT_FILENO), out_(&buffer_) {
  has_keys_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
  if (has_keys_) {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  struct sigaction action {};
  action.sa_handler = note_resize;
  ::sigaction(SIGWINCH, &action, nullptr);
  out_ << enter_screen << std::flush;
}

LiveView::~LiveView() {
  out_ << leave_screen << std::flush;
  if (has_keys_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  ::signal(SIGWINCH, SIG_DFL);
}

void LiveView::draw(const Picture& picture) {
  const TerminalSize size = terminal_size(STDOUT_FILENO);
  std::string text = from_the_top;
  for (const std::string& line : split(picture(size.columns, size.rows), '\n'))
    text += concat(text == from_the_top ? "" : "\r\n", line, clear_rest_of_line);
  out_ << text << clear_below << std::flush;
}

bool LiveView::wait(const WaitLimit& limit, const Picture& picture) {
  TerminalSize size = terminal_size(STDOUT_FILENO);
  do {
    pollfd polled[] = {{has_keys_ ? STDIN_FILENO : -1, POLLIN, 0},
                       {interrupt_descriptor(), POLLIN, 0},
                       {STDOUT_FILENO, 0, 0}};
    const int ready = ::poll(polled, std::size(polled), limit.poll_timeout());
    if (is_interrupted() || (ready > 0 && (polled[2].revents & (POLLHUP | POLLERR)) != 0))
      return false;
    if (terminal_size(STDOUT_FILENO) != size) {
      size = terminal_size(STDOUT_FILENO);
      draw(picture);
    }
    if (ready <= 0 || polled[0].revents == 0) continue;
    char key = 0;
    // A failed read means that the terminal is gone.
    if (::read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q') return false;
  } while (!limit.is_over());
  return !is_interrupted();
}

}  // namespace topsctl
