// Reads a pending confirmation from the journal, and checks whether a watchdog runs.
#include "topsctl/engine/transaction/awaited_confirmation.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "topsctl/engine/transaction/last_active.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/lock_wait.hpp"

namespace topsctl {

namespace {

std::string text_at(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

AwaitedConfirmation confirmation_within(const Host& host, std::chrono::seconds seconds,
                                        const Connection& installed_by) {
  const auto now = host.clock->now();
  // In whole seconds, as it is displayed.
  const auto until = std::chrono::ceil<std::chrono::seconds>(now + seconds);
  return {timestamp(until), installed_by, this_start(),
          host.clock->steady().time_since_epoch() + (until - now)};
}

std::chrono::nanoseconds time_left(const Host& host, const AwaitedConfirmation& awaited) {
  if (!awaited.start.empty() && awaited.start == this_start())
    return awaited.until_steady - host.clock->steady().time_since_epoch();
  return time_of(awaited.until) - host.clock->now();
}

Json to_json(const AwaitedConfirmation& awaited) {
  return {{"confirm_until", awaited.until},
          {"confirm_clock", {{"start", awaited.start}, {"until_ns", awaited.until_steady.count()}}},
          {"installed_by",
           {{"ssh", awaited.installed_by.ssh},
            {"login", awaited.installed_by.login},
            {"session", awaited.installed_by.session}}}};
}

std::optional<AwaitedConfirmation> awaited_confirmation(const Transaction& transaction) {
  if (transaction.state() != TransactionState::committed) return std::nullopt;
  const Json& details = transaction.records.back().details;
  AwaitedConfirmation awaited;
  awaited.until = text_at(details, "confirm_until");
  if (awaited.until.empty()) return std::nullopt;
  const Json by = details.value("installed_by", Json::object());
  awaited.installed_by = {text_at(by, "ssh"), text_at(by, "login"), text_at(by, "session")};
  const Json clock = details.value("confirm_clock", Json::object());
  if (const auto ns = clock.find("until_ns"); ns != clock.end() && ns->is_number_unsigned()) {
    awaited.start = text_at(clock, "start");
    constexpr std::uint64_t most = std::chrono::nanoseconds::max().count();
    awaited.until_steady = std::chrono::nanoseconds(std::min(ns->get<std::uint64_t>(), most));
  }
  return awaited;
}

bool is_watched(const Host& host, const Transaction& transaction) {
  const Descriptor file(::open((host.resolve(transaction.folder) / watchdog_file).c_str(),
                               O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file.is_open() && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0;
}

void wait_until_unwatched(const Host& host, const Transaction& transaction,
                          const WaitLimit& limit) {
  Descriptor file(::open((host.resolve(transaction.folder) / watchdog_file).c_str(),
                         O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open() || ::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return;
  const ReleaseWatch released(std::move(file));
  wait_for({released.descriptor()}, limit);
}

bool is_abandoned(const Host& host, const Transaction& transaction) {
  return awaited_confirmation(transaction) && !is_watched(host, transaction);
}

}  // namespace topsctl
