// Confirms transactions, and tells which of them await it.
#include "topsctl/engine/confirmation.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <thread>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/installer.hpp"
#include "topsctl/engine/watcher.hpp"

namespace topsctl {

namespace {

std::string text_at(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Transaction transaction_of(const Host& host, std::int64_t id) {
  const std::vector<Transaction> all = list_transactions(host);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Transaction& t) { return t.id == id; });
  if (found == all.end() || !found->state()) {
    throw Error(ErrorCode::host_unfit, concat("no transaction ", id, " on this machine"),
                "`topsctl history` lists them");
  }
  return *found;
}

// Nothing if it may still be confirmed.
std::optional<Confirmed> settled(const Transaction& transaction) {
  if (transaction.state() == TransactionState::committed) {
    if (awaited_confirmation(transaction)) return std::nullopt;
    const Json details = Json::parse(transaction.records.back().details, nullptr, false);
    return Confirmed{false, text_at(details, "confirmed_at")};
  }
  if (transaction.was_committed()) {
    throw Error(ErrorCode::unconfirmed,
                concat("transaction ", transaction.id, " cannot be confirmed: it is ",
                       transaction.is_unfinished() ? "being restored" : "restored"),
                concat("`topsctl history show ", transaction.id, "` tells when and why"));
  }
  throw Error(ErrorCode::host_unfit,
              concat("transaction ", transaction.id, " is not committed: it is ",
                     summary_of(transaction).outcome),
              "`topsctl history` lists what may be confirmed");
}

}  // namespace

Json to_json(const AwaitedConfirmation& awaited) {
  return {{"confirm_until", awaited.until},
          {"installed_by",
           {{"ssh", awaited.installed_by.ssh},
            {"login", awaited.installed_by.login},
            {"session", awaited.installed_by.session}}}};
}

std::optional<AwaitedConfirmation> awaited_confirmation(const Transaction& transaction) {
  if (transaction.state() != TransactionState::committed) return std::nullopt;
  const Json details = Json::parse(transaction.records.back().details, nullptr, false);
  AwaitedConfirmation awaited;
  awaited.until = text_at(details, "confirm_until");
  if (awaited.until.empty()) return std::nullopt;
  const Json by = details.value("installed_by", Json::object());
  awaited.installed_by = {text_at(by, "ssh"), text_at(by, "login"), text_at(by, "session")};
  return awaited;
}

bool is_watched(const Host& host, const Transaction& transaction) {
  const Descriptor file(::open((host.behind(transaction.folder) / watcher_file).c_str(),
                               O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file.is_open() && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0;
}

bool is_abandoned(const Host& host, const Transaction& transaction) {
  return awaited_confirmation(transaction) && !is_watched(host, transaction);
}

Confirmed confirm(const Host& host, std::int64_t id, const Connection& connection,
                  const Requester& requester, std::int64_t lock_timeout_ms, EventFan& events) {
  require_usable_host(host, Purpose::change);
  if (const auto result = settled(transaction_of(host, id))) return *result;
  Descriptor lock = take_own_lock(host, lock_timeout_ms, [&](const std::string& holder) {
    events.note(concat("waiting for a lock held by ", holder));
  });
  const Transaction transaction = transaction_of(host, id);
  if (const auto result = settled(transaction)) return *result;
  if (is_same_connection(awaited_confirmation(transaction)->installed_by, connection)) {
    throw Error(
        ErrorCode::host_unfit,
        concat("transaction ", id, " was installed over this very connection, which proves ",
               "nothing about a new one"),
        concat("log in again, without an SSH control master, and run `topsctl confirm ", id,
               "` there"));
  }
  const std::string at = timestamp(host.clock->now());
  Json details = Json::parse(transaction.records.back().details, nullptr, false);
  details.erase("confirm_until");
  details.erase("installed_by");
  details.update({{"confirmed_at", at}, {"confirmed_by", requester.user}});
  Journal(host.behind(transaction.folder) / "journal").append(TransactionState::committed, details);
  // So that nothing of the transaction runs any more when the command ends.
  lock.close();
  for (int i = 0; i < 500 && is_watched(host, transaction); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return {true, at};
}

void refuse_unconfirmed(const Host& host) {
  for (const Transaction& transaction : list_transactions(host)) {
    const auto awaited = awaited_confirmation(transaction);
    if (!awaited) continue;
    throw Error(
        ErrorCode::busy,
        concat("transaction ", transaction.id, " awaits its confirmation until ", awaited->until),
        concat("`topsctl confirm ", transaction.id, "` from a new connection keeps it, ",
               "`topsctl rollback ", transaction.id, "` restores the state before it"));
  }
}

}  // namespace topsctl
