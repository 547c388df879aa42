// Checks at growing intervals until all cards are busy.
#include "engine/launch/busy_check.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

namespace topsctl {

namespace {

// Since the start, or the previous check. The first step includes a compilation.
constexpr std::array<std::int64_t, 4> waits_ms = {5'000, 10'000, 15'000, 30'000};

const Json* list_at(const Json& report, const char* key) {
  const auto found = report.find(key);
  return found != report.end() && found->is_array() ? &*found : nullptr;
}

std::optional<std::int64_t> number_of(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

void read_cards(const Json& report, const std::vector<pid_t>& processes, BusyCheck& check) {
  const Json* ranks = list_at(report, "ranks");
  if (ranks == nullptr) return;
  for (const Json& each : *ranks) {
    const auto rank = number_of(each, "rank");
    const auto pid = number_of(each, "pid");
    const Json* cards = each.is_object() ? list_at(each, "cards") : nullptr;
    const bool is_ours =
        pid && std::find(processes.begin(), processes.end(), *pid) != processes.end();
    if (!rank || !is_ours || cards == nullptr) continue;
    for (const Json& card : *cards) {
      if (card.is_number_integer()) check.cards[*rank].push_back(card.get<std::int64_t>());
    }
  }
}

// For these cards; nothing if the state of one is unknown.
std::optional<std::size_t> count_busy(const Json& report, const std::set<std::int64_t>& cards) {
  const Json* readings = list_at(report, "cards");
  if (readings == nullptr) return std::nullopt;
  std::size_t busy = 0;
  for (const Json& each : *readings) {
    const auto index = number_of(each, "index");
    if (!index || !cards.contains(*index)) continue;
    const auto is_busy = each.find("is_busy");
    if (is_busy == each.end() || !is_busy->is_boolean()) return std::nullopt;
    busy += is_busy->get<bool>() ? 1 : 0;
  }
  return busy;
}

}  // namespace

BusyCheck busy_check_in(const Json& report, const std::vector<pid_t>& processes) {
  BusyCheck check;
  if (!report.is_object()) return check;
  const auto busy = report.find("cards_busy");
  if (busy != report.end() && busy->is_number_unsigned())
    check.cards_busy = busy->get<std::size_t>();
  const auto cause = report.find("first_cause");
  if (cause != report.end() && cause->is_string()) check.first_cause = cause->get<std::string>();
  read_cards(report, processes, check);
  std::set<std::int64_t> cards;
  for (const auto& [rank, its_cards] : check.cards)
    cards.insert(its_cards.begin(), its_cards.end());
  if (!cards.empty() && check.cards_busy) check.cards_busy = count_busy(report, cards);
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
  BusyCheck check = busy_check_in(*report, descendants_of(::getpid()));
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
