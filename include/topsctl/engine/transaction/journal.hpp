// The durable record of one transaction: what is about to happen is on disk before it happens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// Each state is announced before its first act.
enum class TransactionState {
  begun,      // nothing kept yet, nothing changed
  prepared,   // everything is kept; nothing changed
  applying,   // the machine is being changed
  verifying,  // all changes made, checks running
  committed,  // the end of a success
  restoring,  // what was kept is being put back
  restored,   // the end of a rollback
  pruned,     // committed for good: what was kept is removed
};
std::string_view name(TransactionState state);

struct JournalRecord {
  TransactionState state = TransactionState::begun;
  std::string details;     // a JSON object
  bool is_chained = true;  // of a journal whose records have the digest of the one before
};

// The format whose records each have the SHA-256 of the record before. The first record names it;
// a journal whose first record names none is of format 1, which has no such chain.
inline constexpr std::uint64_t chained_journal = 2;

// The hint of every refusal of a journal or a store that cannot be believed.
std::string way_out_of_damage();
// The same where nothing that was kept can be read.
std::string way_out_without_backup();

// An append-only file of records "LENGTH CRC32C PAYLOAD\n", both numbers in eight hexadecimal
// digits.
class Journal {
 public:
  // Opens or makes the file; one of format 1 goes on in format 1. Throws Error.
  explicit Journal(std::filesystem::path file);

  // On return the record is on disk. Throws Error if it is not.
  void append(TransactionState state, const Json& details);

 private:
  std::filesystem::path file_;
  Descriptor descriptor_;
  bool is_chained_ = true;
  std::string last_digest_;  // of the last record; empty: there is none
};

// All whole records. A torn last one is what a crash leaves and is passed over; a damaged earlier
// one is Error{journal_damaged}, and so are records that do not follow each other and a link or a
// folder in place of the file. An absent file has no records.
std::vector<JournalRecord> read_journal(const std::filesystem::path& file);
// The details of the first record, if that is whole, whatever became of those after it; else none.
Json readable_beginning(const std::filesystem::path& file);
// Puts a journal with these records in the place of one that cannot be believed, durably; what was
// there stays beside it as "journal.damaged". Throws Error.
void rewrite_journal(const std::filesystem::path& file, const std::vector<JournalRecord>& records);

// The pure part of reading.
std::vector<JournalRecord> parse_journal(std::string_view bytes, const std::string& subject);

}  // namespace topsctl
