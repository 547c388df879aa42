// Lists and creates transaction directories, and takes the locks of a change.
#include "topsctl/engine/transaction/transaction.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/facts/host_name.hpp"
#include "topsctl/host/filesystem/change_rights.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/lock_wait.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::string transactions_folder(const Host& host) {
  return concat(host.state, "/transactions");
}

std::optional<std::string> text_field(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return printable(found->get<std::string>());
}

PackageChange package_change(const Json& entry) {
  PackageChange change;
  change.name = text_field(entry, "name").value_or("");
  change.kind =
      text_field(entry, "kind").value_or("") == "wheel" ? PackageKind::wheel : PackageKind::deb;
  change.before = text_field(entry, "before");
  change.after = text_field(entry, "after");
  change.purl = text_field(entry, "purl").value_or("");
  return change;
}

InputFile input_file(const Json& entry) {
  InputFile input;
  input.kind = text_field(entry, "kind").value_or("") == "stack" ? InputFile::Kind::stack
                                                                 : InputFile::Kind::lock;
  input.file = text_field(entry, "file").value_or("");
  input.sha256 = text_field(entry, "sha256").value_or("");
  input.created_at = text_field(entry, "created_at").value_or("");
  const auto signer = entry.find("signed_by");
  if (signer != entry.end() && signer->is_object()) {
    input.signed_by = Signer{text_field(*signer, "key").value_or(""),
                             text_field(*signer, "comment").value_or("")};
  }
  return input;
}

std::optional<GivenBundle> given_bundle(const Json& details) {
  const auto found = details.find("bundle");
  if (found == details.end() || !found->is_object()) return std::nullopt;
  GivenBundle bundle;
  bundle.sha256 = text_field(*found, "sha256").value_or("");
  if (const auto paths = found->find("paths"); paths != found->end()) {
    for (const Json& path : *paths) {
      if (path.is_string()) bundle.paths.push_back(printable(path.get<std::string>()));
    }
  }
  return bundle;
}

}  // namespace

std::optional<TransactionState> Transaction::state() const {
  if (records.empty()) return std::nullopt;
  return records.back().state;
}

bool Transaction::is_unfinished() const {
  return state() && *state() != TransactionState::committed &&
         *state() != TransactionState::restored && *state() != TransactionState::pruned;
}

bool Transaction::was_committed() const {
  return std::any_of(records.begin(), records.end(), [](const JournalRecord& record) {
    return record.state == TransactionState::committed;
  });
}

TransactionKind Transaction::kind() const {
  if (records.empty()) return TransactionKind::install;
  const Json& begun = records.front().details;
  return begun.value("kind", "") == name(TransactionKind::patch) ? TransactionKind::patch
                                                                 : TransactionKind::install;
}

std::map<std::string, std::string> Transaction::patched() const {
  std::map<std::string, std::string> digests;
  if (kind() != TransactionKind::patch) return digests;
  const Json& begun = records.front().details;
  if (const auto patched = begun.find("patched"); patched != begun.end()) {
    for (const auto& [path, digest] : patched->items())
      digests.emplace(path, digest.get<std::string>());
  }
  return digests;
}

Origin origin_of(const Host& host) {
  return {name_of_this_host(), requesting_user(host.environment), timestamp(host.clock->now())};
}

namespace {

// If another user created the directory first, its records could make us write anything.
void require_own_state(const Host& host) {
  if (!host.is_of_user()) {
    for (const std::string& folder : {host.state, transactions_folder(host)})
      require_closed_folder(host.resolve(folder));
    return;
  }
  constexpr mode_t by_others = 0022;
  const fs::path folder = host.resolve(host.state);
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & by_others) == 0)
    return;
  throw Error(ErrorCode::permission,
              format("{} is not a directory of this user alone", in_quotes(folder.string())),
              "remove it, or give another place with XDG_STATE_HOME");
}

}  // namespace

std::vector<FoundTransaction> find_transactions(const Host& host) {
  require_own_state(host);
  std::vector<FoundTransaction> found;
  std::error_code failure;
  const fs::path folder = host.resolve(transactions_folder(host));
  for (auto at = fs::directory_iterator(folder, failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (!is_digits(name) || name.size() > 15) continue;
    FoundTransaction& each = found.emplace_back();
    each.transaction.id = std::stoll(name);
    each.transaction.folder = concat(transactions_folder(host), "/", name);
    try {
      each.transaction.records = read_journal(at->path() / "journal");
    } catch (const Error& error) {
      if (error.code() != ErrorCode::journal_damaged) throw;
      each.damage = error;
    }
  }
  if (failure && failure != std::errc::no_such_file_or_directory) {
    throw system_error(failure.value(), "read", folder.string());
  }
  std::sort(found.begin(), found.end(), [](const FoundTransaction& a, const FoundTransaction& b) {
    return a.transaction.id < b.transaction.id;
  });
  return found;
}

std::vector<Transaction> list_transactions(const Host& host) {
  std::vector<Transaction> transactions;
  for (FoundTransaction& found : find_transactions(host)) {
    if (found.damage) throw *found.damage;
    transactions.push_back(std::move(found.transaction));
  }
  return transactions;
}

TransactionSummary summary_of(const Transaction& transaction) {
  TransactionSummary summary;
  summary.id = transaction.id;
  summary.kind = transaction.kind();
  summary.made_by = name(summary.kind);  // without a record of it
  summary.outcome = "unfinished";
  bool has_escaped = false;
  for (const auto& [path, digest] : transaction.patched())
    summary.patched.push_back(printable(path));
  for (const JournalRecord& record : transaction.records) {
    const Json& details = record.details;
    if (record.state == TransactionState::begun) {
      summary.origin = {text_field(details, "host").value_or(""),
                        text_field(details, "user").value_or(""),
                        text_field(details, "started_at").value_or("")};
      summary.bundle = given_bundle(details);
      summary.command = text_field(details, "command").value_or("");
      if (text_field(details, "made_by") == "repair") summary.made_by = "repair";
      summary.project = text_field(details, "project").value_or("");
      if (const auto packages = details.find("packages"); packages != details.end()) {
        for (const Json& entry : *packages) summary.packages.push_back(package_change(entry));
      }
    }
    // Resuming an interrupted rollback does not change the reason.
    if (summary.reason.empty()) summary.reason = text_field(details, "reason").value_or("");
    if (record.state == TransactionState::prepared) {
      summary.kept_bytes = details.value("kept_bytes", std::uint64_t{0});
    }
    // A later such record without a deadline confirms it.
    summary.confirm_until = record.state == TransactionState::committed
                                ? text_field(details, "confirm_until")
                                : std::nullopt;
    if (record.state == TransactionState::committed) {
      summary.outcome = name(Outcome::committed);
      summary.kept_bytes = details.value("kept_bytes", summary.kept_bytes);
      summary.can_be_undone = true;
      has_escaped = !is_observed(transaction) && !escaped_paths_of(transaction).empty();
    }
    if (record.state == TransactionState::restoring) summary.outcome = "unfinished";
    if (record.state == TransactionState::restored || record.state == TransactionState::pruned) {
      summary.kept_bytes = 0;
      summary.can_be_undone = false;
    }
    if (record.state == TransactionState::restored) {
      const Outcome undone =
          has_escaped ? Outcome::rolled_back_with_differences : Outcome::rolled_back;
      const Outcome outcome = details.value("differing", 0) > 0    ? Outcome::rollback_incomplete
                              : details.value("only_times", false) ? Outcome::no_change
                              : details.value("was_changed", true) ? undone
                                                                   : Outcome::failed_before_change;
      summary.outcome = name(outcome);
    }
  }
  return summary;
}

WriteSetSummary kept_summary(const Transaction& transaction) {
  WriteSetSummary summary;
  for (const JournalRecord& record : transaction.records) {
    if (record.state != TransactionState::prepared) continue;
    const Json& details = record.details;
    summary.known = details.value("method", summary.known);
    summary.reason = details.value("why_not", std::string());
    summary.paths = details.value("paths", std::uint64_t{0});
    summary.bytes = details.value("kept_bytes", std::uint64_t{0});
    summary.linked = details.value("linked", std::uint64_t{0});
    summary.copied = details.value("copied", std::uint64_t{0});
  }
  return summary;
}

bool is_observed(const Transaction& transaction) {
  return kept_summary(transaction).known == "observed";
}

namespace {

// Fit to be shown.
std::vector<std::string> paths_in(const Transaction& transaction, TransactionState state,
                                  const char* key) {
  std::vector<std::string> found;
  for (const JournalRecord& record : transaction.records) {
    if (record.state != state) continue;
    const Json& details = record.details;
    const auto paths = details.find(key);
    if (paths == details.end() || !paths->is_array()) continue;
    for (const Json& path : *paths) {
      if (path.is_string()) found.push_back(printable(path.get<std::string>()));
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> escaped_paths_of(const Transaction& transaction) {
  return paths_in(transaction, TransactionState::committed, "escaped_paths");
}

std::vector<std::string> volatile_paths_of(const Transaction& transaction) {
  return paths_in(transaction, TransactionState::committed, "volatile");
}

std::vector<std::string> volatile_paths_before(const Transaction& transaction) {
  return paths_in(transaction, TransactionState::applying, "volatile_before");
}

std::vector<InputFile> inputs_of(const Transaction& transaction) {
  std::vector<InputFile> inputs;
  for (const JournalRecord& record : transaction.records) {
    if (record.state != TransactionState::begun) continue;
    const Json& details = record.details;
    const auto list = details.find("inputs");
    if (list == details.end()) continue;
    for (const Json& entry : *list) inputs.push_back(input_file(entry));
  }
  return inputs;
}

InstalledStack stack_of(const Transaction& transaction) {
  if (transaction.records.empty()) return {};
  const Json& begun = transaction.records.front().details;
  const std::vector<InputFile> inputs = inputs_of(transaction);
  return {text_field(begun, "stack").value_or(""), text_field(begun, "release").value_or(""),
          std::any_of(inputs.begin(), inputs.end(),
                      [](const InputFile& input) { return input.kind == InputFile::Kind::stack; })};
}

fs::path copied_stack(const Host& host, const Transaction& transaction) {
  fs::path copy = host.resolve(concat(transaction.folder, "/", stack_copy));
  std::error_code failure;
  if (!fs::is_regular_file(fs::symlink_status(copy, failure)))
    throw Error(ErrorCode::bad_stack,
                format("transaction {} installed by a stack file, and its copy {} is missing",
                       transaction.id, in_quotes(copy.string())),
                "name the stack file: --stack FILE");
  return copy;
}

Transaction new_transaction(const Host& host) {
  const fs::path parent = host.resolve(transactions_folder(host));
  make_directories(parent, 0700);
  const std::vector<Transaction> known = list_transactions(host);
  Transaction transaction;
  transaction.id = known.empty() ? 1 : known.back().id + 1;
  transaction.folder = concat(transactions_folder(host), "/", transaction.id);
  const fs::path folder = host.resolve(transaction.folder);
  if (::mkdir(folder.c_str(), 0700) != 0)
    throw system_error(errno, "create directory", folder.string());
  sync_directory(parent);
  return transaction;
}

Descriptor opened_lock(const Host& host) {
  return Descriptor(::open((host.resolve(host.state) / "lock").c_str(),
                           O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

bool is_at_work(const Host& host) {
  const Descriptor file = opened_lock(host);
  return file.is_open() && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0;
}

Descriptor take_own_lock(const Host& host, std::int64_t timeout_ms,
                         const std::function<void(const std::string&)>& on_wait) {
  require_own_state(host);
  const fs::path folder = host.resolve(host.state);
  make_directories(folder, host.is_of_user() ? 0700 : 0755);
  const fs::path file = folder / "lock";
  Descriptor lock(
      ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!lock.is_open()) throw system_error(errno, "open", file.string(), ErrorCode::host_unfit);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  const WaitLimit limit(timeout_ms);
  on_wait("another topsctl process");
  if (timeout_ms > 0 && lock_within(lock, LockKind::whole, limit)) return lock;
  throw_if_interrupted();
  throw Error(ErrorCode::busy, "another topsctl process is changing this host",
              "wait until it ends, or allow more time with --lock-timeout");
}

std::function<void(const std::string&)> told_to(EventSink& events) {
  return [&events](const std::string& holder) {
    events.note(format("waiting for a lock held by {}", holder));
  };
}

Locked locks_of_undo(const Host& host) {
  std::error_code ignored;
  const bool has_dpkg = fs::exists(host.resolve(dpkg_status_file), ignored);
  return has_dpkg && !host.is_of_user() ? Locked::with_dpkg : Locked::own_alone;
}

ChangeLock::ChangeLock(const Host& host, std::int64_t timeout_ms,
                       const std::function<void(const std::string&)>& on_wait, Locked locked)
    : own_(take_own_lock(host, timeout_ms, on_wait)) {
  if (locked == Locked::with_dpkg) dpkg_.emplace(host, timeout_ms, on_wait);
}

std::vector<LockReport> ChangeLock::reports() const {
  if (!dpkg_) return {};
  return {{"/var/lib/dpkg/lock-frontend", dpkg_->waited_for(), dpkg_->waited_ms()}};
}

LastingEffects lasting_effects_of(const Transaction& transaction) {
  LastingEffects effects{true, true};
  for (const JournalRecord& record : transaction.records) {
    if (record.state != TransactionState::begun) continue;
    const Json& details = record.details;
    effects = {details.value("services", true), details.value("kernel_modules", true)};
  }
  return effects;
}

}  // namespace topsctl
