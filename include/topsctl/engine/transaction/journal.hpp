// The durable record of one transaction: each change is recorded on disk before it is made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// Each state is recorded before its first change.
enum class TransactionState {
  begun,      // no backup yet, nothing changed
  prepared,   // backup complete; nothing changed
  applying,   // the host is being changed
  verifying,  // all changes made, checks running
  committed,  // the end of a success
  restoring,  // the backup is being restored
  restored,   // the end of a rollback
  pruned,     // committed, and its backup is removed
};
std::string_view name(TransactionState state);

struct JournalRecord {
  TransactionState state = TransactionState::begun;
  Json details = Json::object();
  bool is_chained = true;  // of a journal whose records carry the digest of the record before
};

// The format whose records each have the SHA-256 of the record before. The first record names it;
// a journal whose first record names none is of format 1, which has no such chain.
inline constexpr std::uint64_t chained_journal = 2;

// The hint of each error about a damaged journal or store.
std::string way_out_of_damage();
// The same if no backup can be read.
std::string way_out_without_backup();

// An append-only file of records "LENGTH CRC32C PAYLOAD\n", both numbers in eight hexadecimal
// digits.
class Journal {
 public:
  // Opens or creates the file; a file of format 1 stays in format 1. Throws Error.
  explicit Journal(std::filesystem::path file);

  // Durable on return. Throws Error if the record cannot be written.
  void append(TransactionState state, const Json& details);

 private:
  std::filesystem::path file_;
  Descriptor descriptor_;
  bool is_chained_ = true;
  std::string last_digest_;  // of the last record; empty: no record yet
};

// Returns all complete records. Skips a torn last record, which a crash leaves. Throws
// Error{journal_damaged} for a damaged earlier record, for records out of order, and for a link or
// a directory in place of the file. An absent file has no records.
std::vector<JournalRecord> read_journal(const std::filesystem::path& file);
// The details of the first record if it is complete, even if later records are damaged; else an
// empty object.
Json readable_beginning(const std::filesystem::path& file);
// Replaces a damaged journal durably by these records; the old file stays beside it as
// "journal.damaged". Throws Error.
void rewrite_journal(const std::filesystem::path& file, const std::vector<JournalRecord>& records);

// Parses the bytes of a journal; reads no file.
std::vector<JournalRecord> parse_journal(std::string_view bytes, const std::string& subject);

}  // namespace topsctl
