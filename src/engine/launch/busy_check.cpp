// Asks at growing distances until all cards are busy.
#include "engine/launch/busy_check.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace topsctl {

namespace {

// Since the start, or the check before. A first step compiles for a while.
constexpr std::array<std::int64_t, 4> waits_ms = {5'000, 10'000, 15'000, 30'000};

void read_cards(const Json& report, BusyCheck& check) {
  const auto ranks = report.find("ranks");
  if (ranks == report.end() || !ranks->is_array()) return;
  for (const Json& each : *ranks) {
    if (!each.is_object() || !each.contains("rank") || !each["rank"].is_number_integer() ||
        !each.contains("cards") || !each["cards"].is_array())
      continue;
    for (const Json& card : each["cards"]) {
      if (card.is_number_integer())
        check.cards[each["rank"].get<std::int64_t>()].push_back(card.get<std::int64_t>());
    }
  }
}

}  // namespace

BusyCheck busy_check_in(const Json& report) {
  BusyCheck check;
  if (!report.is_object()) return check;
  const auto busy = report.find("cards_busy");
  if (busy != report.end() && busy->is_number_unsigned())
    check.cards_busy = busy->get<std::size_t>();
  const auto cause = report.find("first_cause");
  if (cause != report.end() && cause->is_string()) check.first_cause = cause->get<std::string>();
  read_cards(report, check);
  return check;
}

BusyChecker::BusyChecker(const Host& host, const LaunchPlan& plan, Supervisor& supervisor)
    : host_(host), ranks_(plan.ranks), watch_(plan, supervisor), next_(waits_ms.front()) {}

std::optional<BusyCheck> BusyChecker::step() {
  if (!watch_.is_running()) {
    if (number_ == waits_ms.size() || !next_.is_over()) return std::nullopt;
    next_ = WaitLimit();
    watch_.start();
  }
  const auto report = watch_.step();
  if (!report) return std::nullopt;
  BusyCheck check = busy_check_in(*report);
  check.at = timestamp(host_.clock->now());
  ++number_;
  check.is_last = number_ == waits_ms.size() || !check.cards_busy ||
                  *check.cards_busy >= static_cast<std::size_t>(ranks_);
  if (check.is_last)
    number_ = waits_ms.size();
  else
    next_ = WaitLimit(waits_ms.at(number_));
  return check;
}

}  // namespace topsctl
