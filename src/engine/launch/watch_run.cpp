// Reads the pipe of `topsctl watch --json`.
#include "engine/launch/watch_run.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "topsctl/host/system/pipe.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t longest_look_at_cards_ms = 60'000;
constexpr std::size_t most_report = std::size_t{1} << 20U;

}  // namespace

void WatchRun::start() {
  Pipe pipe = make_pipe();
  ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
  report_.clear();
  std::vector<std::string> words = {plan_.own_program, "watch", "--quiet", "--json"};
  if (!plan_.stack.empty()) words.insert(words.end(), {"--stack", plan_.stack});
  static_cast<void>(supervisor_.start(words, plan_.environment, pipe.write_end));
  output_ = std::move(pipe.read_end);
  limit_ = WaitLimit(longest_look_at_cards_ms);
}

std::optional<Json> WatchRun::step() {
  std::array<char, 65536> piece{};
  while (output_.is_open()) {
    const ssize_t got = ::read(output_.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && !limit_.is_over()) return std::nullopt;
    if (got < 0) {
      output_.close();
      return Json(nullptr);
    }
    if (got > 0) {
      if (report_.size() < most_report) report_.append(piece.data(), static_cast<std::size_t>(got));
      continue;
    }
    output_.close();
    Json report = json_or_null(report_);
    return report.is_object() ? std::move(report) : Json(nullptr);
  }
  return std::nullopt;
}

}  // namespace topsctl
