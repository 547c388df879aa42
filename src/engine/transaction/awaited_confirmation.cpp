// Reads from the journal what a commit awaits, and looks whether a watchdog is there.
#include "topsctl/engine/transaction/awaited_confirmation.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <nlohmann/json.hpp>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/lock_wait.hpp"

namespace topsctl {

namespace {

std::string text_at(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
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
