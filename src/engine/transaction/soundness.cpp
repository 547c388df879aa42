// Finds journals and stores that are inconsistent.
#include "topsctl/engine/transaction/soundness.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using State = TransactionState;

Error damage_of(const Transaction& transaction, const std::string& what) {
  return Error(ErrorCode::journal_damaged,
               format("transaction {} is damaged: {}", transaction.id, what), way_out_of_damage());
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

std::optional<Error> damage_without_records(const Transaction& transaction,
                                            const fs::path& folder) {
  for (const char* store : {snapshot_folder, after_folder, undo_folder}) {
    if (is_there(folder / store))
      return damage_of(transaction, "it has backups, and its journal is missing or empty");
  }
  return std::nullopt;
}

// For a rollback: its plan was written before.
bool has_plan(const JournalRecord& record) {
  return record.details.value("undo", false);
}

// The backup directories that must exist in this state.
std::vector<const char*> required_stores(const Transaction& transaction) {
  switch (*transaction.state()) {
    case State::begun:
    case State::restored:
    case State::pruned:
      return {};
    case State::committed:
      // Earlier versions of topsctl may have backed up less.
      if (!transaction.records.front().is_chained) return {};
      return {snapshot_folder, after_folder};
    case State::restoring:
      if (transaction.was_committed()) return {undo_folder};
      if (has_plan(transaction.records.back())) return {snapshot_folder, undo_folder};
      return {snapshot_folder};
    case State::prepared:
    case State::applying:
    case State::verifying:
      return {snapshot_folder};
  }
  return {};
}

std::optional<Error> damage_of_stores(const Transaction& transaction, const fs::path& folder) {
  for (const char* store : required_stores(transaction)) {
    if (!has_record(folder / store))
      return damage_of(transaction, format("the record of its backup is missing ({})", store));
    // That of an ended transaction is read when it is needed.
    if (!transaction.is_unfinished()) continue;
    try {
      static_cast<void>(load_snapshot(folder / store));
    } catch (const Error& error) {
      return damage_of(transaction, error.message());
    }
  }
  return std::nullopt;
}

std::optional<Error> damage_by_itself(const Host& host, Transaction& transaction) {
  const fs::path folder = host.resolve(transaction.folder);
  if (!transaction.state()) return damage_without_records(transaction, folder);
  const Json& begun = transaction.records.front().details;
  const auto id = begun.find("transaction");
  if (id != begun.end() && *id != transaction.id) {
    transaction.records.clear();
    return damage_of(transaction, "its journal belongs to another transaction");
  }
  return damage_of_stores(transaction, folder);
}

// No install is begun while an earlier one is unfinished. Several are undone from the newest on:
// then the later ones are restored. Patches go by themselves.
std::optional<Error> damage_out_of_order(const ExaminedTransaction& examined, bool has_later) {
  const Transaction& transaction = examined.transaction;
  const bool is_open = transaction.is_unfinished() || awaited_confirmation(transaction).has_value();
  const bool is_impossible =
      is_open && (examined.is_superseded || (has_later && !transaction.was_committed()));
  if (!is_impossible) return std::nullopt;
  return damage_of(transaction, "a later transaction was started, and this one has not ended");
}

bool is_readable(const fs::path& store) {
  try {
    static_cast<void>(load_snapshot(store));
    return true;
  } catch (const Error&) {
    return false;
  }
}

// An ended transaction only gets a new journal.
bool is_restorable(const Host& host, const ExaminedTransaction& examined) {
  const fs::path folder = host.resolve(examined.transaction.folder);
  return examined.is_superseded || examined.transaction.state() == State::committed ||
         has_record(folder / undo_folder) || has_record(folder / after_folder) ||
         is_readable(folder / snapshot_folder);
}

void judge_way_out(const Host& host, ExaminedTransaction& examined) {
  if (!examined.damage || is_restorable(host, examined)) return;
  examined.is_restorable = false;
  examined.damage = Error(examined.damage->code(), examined.damage->message(),
                          way_out_without_backup(), examined.damage->context());
}

}  // namespace

std::vector<ExaminedTransaction> examine_transactions(const Host& host) {
  std::vector<ExaminedTransaction> all;
  for (FoundTransaction& found : find_transactions(host)) {
    ExaminedTransaction examined{std::move(found.transaction), std::move(found.damage)};
    if (!examined.damage) examined.damage = damage_by_itself(host, examined.transaction);
    all.push_back(std::move(examined));
  }
  bool has_later = false;
  bool is_superseded = false;
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    if (at->transaction.kind() == TransactionKind::patch) continue;
    at->is_superseded = is_superseded;
    if (!at->damage) at->damage = damage_out_of_order(*at, has_later);
    const auto state = at->transaction.state();
    if (!state && !at->damage) continue;
    has_later = true;
    is_superseded = is_superseded || state != State::restored;
  }
  for (ExaminedTransaction& examined : all) judge_way_out(host, examined);
  return all;
}

std::vector<Transaction> sound_transactions(const Host& host) {
  std::vector<Transaction> sound;
  for (ExaminedTransaction& examined : examine_transactions(host)) {
    if (examined.damage) throw *examined.damage;
    sound.push_back(std::move(examined.transaction));
  }
  return sound;
}

}  // namespace topsctl
