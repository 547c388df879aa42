// The durable record of one transaction: what is about to happen is on disk before it happens.
#pragma once

#include <filesystem>
#include <string>
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
  std::string details;  // a JSON object
};

// An append-only file of records "LENGTH CRC32C PAYLOAD\n", both numbers in eight hexadecimal
// digits.
class Journal {
 public:
  // Opens or makes the file. Throws Error.
  explicit Journal(std::filesystem::path file);

  // On return the record is on disk. Throws Error if it is not.
  void append(TransactionState state, const Json& details);

 private:
  std::filesystem::path file_;
  Descriptor descriptor_;
};

// All whole records. A torn last one is what a crash leaves and is passed over; a damaged earlier
// one is Error{journal_damaged}. An absent file has no records.
std::vector<JournalRecord> read_journal(const std::filesystem::path& file);
// The pure part of it.
std::vector<JournalRecord> parse_journal(std::string_view bytes, const std::string& subject);

}  // namespace topsctl
