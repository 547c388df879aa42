// Splits output into lines and prepends the time to each.
#include "topsctl/engine/launch/rank_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t longest_line = std::size_t{64} << 10U;

}  // namespace

std::string line_stamp(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  const std::time_t seconds = system_clock::to_time_t(time);
  const auto ms = duration_cast<milliseconds>(time.time_since_epoch()).count() % 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text.data() + size, text.size() - size, ".%03dZ ", static_cast<int>(ms));
  return text.data();
}

RankLog::RankLog(const std::filesystem::path& file)
    : path_(file.string()),
      file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                   0600)) {
  if (!file_.is_open()) throw system_error(errno, "write", path_);
}

void RankLog::take(std::string_view bytes, std::chrono::system_clock::time_point now,
                   const std::function<void(std::string_view)>& on_line) {
  const std::string stamp = line_stamp(now);
  std::string text;
  rest_ += bytes;
  std::string_view open = rest_;
  for (;;) {
    const std::size_t end = open.find_first_of("\n\r");
    if (end != std::string_view::npos) {
      write_line(open.substr(0, end), text, stamp, on_line);
      const bool is_crlf = open[end] == '\r' && end + 1 < open.size() && open[end + 1] == '\n';
      open.remove_prefix(end + (is_crlf ? 2 : 1));
    } else if (open.size() > longest_line) {
      write_line(open.substr(0, longest_line), text, stamp, on_line);
      open.remove_prefix(longest_line);
    } else {
      break;
    }
  }
  rest_.erase(0, rest_.size() - open.size());
  write(text);
}

void RankLog::end(std::chrono::system_clock::time_point now,
                  const std::function<void(std::string_view)>& on_line) {
  if (rest_.empty()) return;
  std::string text;
  write_line(rest_, text, line_stamp(now), on_line);
  rest_.clear();
  write(text);
}

void RankLog::write_line(std::string_view line, std::string& text, std::string_view stamp,
                         const std::function<void(std::string_view)>& on_line) {
  // The rest after a carriage return at the end of a piece.
  if (line.empty() && text.empty()) return;
  text.append(stamp).append(line).push_back('\n');
  on_line(line);
}

void RankLog::write(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error(errno, "write", path_);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace topsctl
