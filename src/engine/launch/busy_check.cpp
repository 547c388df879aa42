// Runs `topsctl watch --json`, and reads its report.
#include "engine/launch/busy_check.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/host/system/pipe.hpp"

namespace topsctl {

namespace {

// Since the start, or the check before. A first step compiles for a while.
constexpr std::array<std::int64_t, 4> waits_ms = {5'000, 10'000, 15'000, 30'000};
constexpr std::size_t most_report = std::size_t{1} << 20U;

}  // namespace

BusyChecker::BusyChecker(const Host& host, const LaunchPlan& plan, Supervisor& supervisor)
    : host_(host), plan_(plan), supervisor_(supervisor), next_(waits_ms.front()) {}

std::optional<BusyCheck> BusyChecker::step() {
  if (!output_.is_open()) {
    if (number_ < waits_ms.size() && next_.is_over()) start();
    return std::nullopt;
  }
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t got = ::read(output_.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return finish();
    if (report_.size() < most_report) report_.append(piece.data(), static_cast<std::size_t>(got));
  }
}

void BusyChecker::start() {
  Pipe pipe = make_pipe();
  ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
  report_.clear();
  next_ = WaitLimit();
  static_cast<void>(supervisor_.start({plan_.own_program, "watch", "--quiet", "--json"},
                                      plan_.environment, pipe.write_end));
  output_ = std::move(pipe.read_end);
}

std::optional<BusyCheck> BusyChecker::finish() {
  output_.close();
  ++number_;
  const Json report = Json::parse(report_, nullptr, false);
  BusyCheck check;
  check.at = timestamp(host_.clock->now());
  if (report.is_object()) {
    const auto busy = report.find("cards_busy");
    if (busy != report.end() && busy->is_number_unsigned())
      check.cards_busy = busy->get<std::size_t>();
    const auto cause = report.find("first_cause");
    if (cause != report.end() && cause->is_string()) check.first_cause = cause->get<std::string>();
  }
  check.is_last = number_ == waits_ms.size() || !check.cards_busy ||
                  *check.cards_busy >= static_cast<std::size_t>(plan_.ranks);
  if (check.is_last)
    number_ = waits_ms.size();
  else
    next_ = WaitLimit(waits_ms.at(number_));
  return check;
}

}  // namespace topsctl
