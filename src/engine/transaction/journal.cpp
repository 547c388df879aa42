// Appends to and reads transaction journals.
#include "topsctl/engine/transaction/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t prefix_size = 18;  // "LLLLLLLL CCCCCCCC "
constexpr std::uint64_t most_journal = 64ULL << 20U;

std::string framed(const std::string& payload) {
  std::array<char, prefix_size + 1> prefix{};
  std::snprintf(prefix.data(), prefix.size(), "%08x %08x ", static_cast<unsigned>(payload.size()),
                crc32c(payload));
  return concat(std::string_view(prefix.data(), prefix_size), payload, "\n");
}

std::optional<std::uint32_t> hex_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

// The payload at the start of `bytes`, if it is complete.
std::optional<std::string_view> whole_payload(std::string_view bytes) {
  if (bytes.size() < prefix_size || bytes[8] != ' ' || bytes[17] != ' ') return std::nullopt;
  const auto length = hex_number(bytes.substr(0, 8));
  const auto checksum = hex_number(bytes.substr(9, 8));
  if (!length || !checksum || bytes.size() - prefix_size <= *length) return std::nullopt;
  const std::string_view payload = bytes.substr(prefix_size, *length);
  if (bytes[prefix_size + *length] != '\n' || crc32c(payload) != *checksum) return std::nullopt;
  return payload;
}

// Whether there are as many bytes as the record's length requires.
bool has_full_length(std::string_view bytes) {
  const auto length = bytes.size() < prefix_size ? std::nullopt : hex_number(bytes.substr(0, 8));
  return length && bytes.size() - prefix_size > *length;
}

std::optional<TransactionState> state_named(std::string_view text) {
  for (const auto state :
       {TransactionState::begun, TransactionState::prepared, TransactionState::applying,
        TransactionState::verifying, TransactionState::committed, TransactionState::restoring,
        TransactionState::restored, TransactionState::pruned}) {
    if (name(state) == text) return state;
  }
  return std::nullopt;
}

[[noreturn]] void damaged(const std::string& subject) {
  throw Error(ErrorCode::journal_damaged, format("the journal {} is damaged", in_quotes(subject)),
              way_out_of_damage());
}

// Whether a transaction can change from one state to the other. Some states may be skipped: not
// every plan has checks, and an interrupted transaction is restored from its present state.
bool may_follow(TransactionState before, TransactionState after) {
  using State = TransactionState;
  if (before == State::restored || before == State::pruned) return false;
  if (after == State::pruned) return before == State::committed;
  if (after == State::committed && before == State::committed) return true;  // confirmed
  return after == State::restoring || after == State::restored || before < after;
}

// Details that programs use must have the right type; otherwise no program may act on them.
bool is_of_known_types(const Json& details) {
  using Test = bool (*)(const Json&);
  static constexpr Test is_count = [](const Json& value) { return value.is_number_unsigned(); };
  static constexpr Test is_flag = [](const Json& value) { return value.is_boolean(); };
  static constexpr Test is_text = [](const Json& value) { return value.is_string(); };
  static constexpr Test is_list = [](const Json& value) { return value.is_array(); };
  static constexpr Test is_object = [](const Json& value) { return value.is_object(); };
  static constexpr Test is_texts = [](const Json& value) {
    return value.is_object() && std::all_of(value.begin(), value.end(), is_text);
  };
  static constexpr auto known = std::to_array<std::pair<const char*, Test>>(
      {{"transaction", is_count},  {"kept_bytes", is_count},     {"paths", is_count},
       {"linked", is_count},       {"copied", is_count},         {"paths_checked", is_count},
       {"differing", is_count},    {"was_changed", is_flag},     {"only_times", is_flag},
       {"undo", is_flag},          {"loader_cache", is_flag},    {"gave_up", is_flag},
       {"kind", is_text},          {"patched", is_texts},        {"method", is_text},
       {"why_not", is_text},       {"packages", is_list},        {"escaped_paths", is_list},
       {"confirm_until", is_text}, {"confirm_clock", is_object}, {"installed_by", is_object},
       {"services", is_flag},      {"kernel_modules", is_flag}});
  if (!details.is_object()) return false;
  for (const auto& [key, is_right] : known) {
    const auto found = details.find(key);
    if (found != details.end() && !is_right(*found)) return false;
  }
  const auto packages = details.find("packages");
  return packages == details.end() || std::all_of(packages->begin(), packages->end(), is_object);
}

struct ParsedJournal {
  std::vector<JournalRecord> records;
  std::size_t whole = 0;                   // bytes of the records
  std::uint64_t format = chained_journal;  // also for a journal without records
  std::string last_digest;                 // of the last record
};

void require_chain(const ParsedJournal& journal, const Json& record, const std::string& subject) {
  if (journal.format < chained_journal) return;
  const auto previous = record.find("previous");
  if (previous == record.end() || *previous != journal.last_digest) damaged(subject);
}

std::uint64_t format_of(const Json& first, const std::string& subject) {
  const auto format_number = first.find("format");
  if (format_number == first.end()) return 1;
  if (*format_number == chained_journal) return chained_journal;
  if (!format_number->is_number_unsigned()) damaged(subject);
  throw Error(
      ErrorCode::journal_damaged,
      format("the journal {} has a format unknown to this version of topsctl", in_quotes(subject)),
      "use the version of topsctl that wrote it, or a later one");
}

Json record_in(std::string_view payload, const std::string& subject) {
  try {
    Json record = parse_json(payload, subject);
    if (record.is_object()) return record;
  } catch (const Error&) {
    // Not JSON, or nested deeper than any of our records.
  }
  damaged(subject);
}

JournalRecord parse_record(std::string_view payload, const std::string& subject,
                           ParsedJournal& journal) {
  Json record = record_in(payload, subject);
  const auto state = record.find("state");
  const auto details = record.find("details");
  if (state == record.end() || !state->is_string() || details == record.end()) damaged(subject);
  const auto known = state_named(state->get<std::string>());
  if (!known || !is_of_known_types(*details)) damaged(subject);
  if (journal.records.empty()) {
    if (*known != TransactionState::begun) damaged(subject);
    journal.format = format_of(record, subject);
  } else {
    require_chain(journal, record, subject);
    if (!may_follow(journal.records.back().state, *known)) damaged(subject);
  }
  journal.last_digest = sha256_of(payload);
  return {*known, std::move(*details), journal.format >= chained_journal};
}

ParsedJournal parsed(std::string_view bytes, const std::string& subject) {
  ParsedJournal journal;
  while (!bytes.empty()) {
    const auto payload = whole_payload(bytes);
    if (!payload) {
      // An interrupted write leaves no line end: a record with one was damaged later.
      if (bytes.find('\n') != std::string_view::npos || has_full_length(bytes)) damaged(subject);
      return journal;
    }
    journal.records.push_back(parse_record(*payload, subject, journal));
    const std::size_t size = prefix_size + payload->size() + 1;
    journal.whole += size;
    bytes.remove_prefix(size);
  }
  return journal;
}

// Nothing if the file is missing. topsctl never creates a link or a directory in its place.
std::optional<std::string> journal_bytes(const fs::path& file) {
  const fs::file_type type = fs::symlink_status(file).type();
  if (type == fs::file_type::not_found) return std::nullopt;
  if (type != fs::file_type::regular) damaged(file.string());
  return read_text(file, most_journal);
}

// `last_digest` is that of the previous record, empty for the first.
std::string next_payload(TransactionState state, const Json& details, bool is_chained,
                         const std::string& last_digest) {
  Json record = {{"state", name(state)}, {"details", details}};
  if (last_digest.empty()) {
    record["format"] = chained_journal;
  } else if (is_chained) {
    record["previous"] = last_digest;
  }
  return to_line(record);
}

}  // namespace

std::string way_out_of_damage() {
  return format(
      "nothing was changed; `topsctl recover --from-store` compares what was kept with the host "
      "and "
      "restores it, `topsctl recover --give-up` leaves the host as it is");
}

std::string way_out_without_backup() {
  return format("nothing was changed; `topsctl recover --give-up` leaves the host as it is");
}

std::string_view name(TransactionState state) {
  switch (state) {
    case TransactionState::begun:
      return "begun";
    case TransactionState::prepared:
      return "prepared";
    case TransactionState::applying:
      return "applying";
    case TransactionState::verifying:
      return "verifying";
    case TransactionState::committed:
      return "committed";
    case TransactionState::restoring:
      return "restoring";
    case TransactionState::restored:
      return "restored";
    case TransactionState::pruned:
      return "pruned";
  }
  return "begun";
}

Journal::Journal(fs::path file) : file_(std::move(file)) {
  // A torn record at the end must not remain between complete ones.
  if (const auto bytes = journal_bytes(file_)) {
    const ParsedJournal journal = parsed(*bytes, file_.string());
    is_chained_ = journal.format >= chained_journal;
    last_digest_ = journal.last_digest;
    if (journal.whole < bytes->size() &&
        ::truncate(file_.c_str(), static_cast<off_t>(journal.whole)) != 0) {
      throw system_error(errno, "write", file_.string());
    }
  }
  descriptor_ = Descriptor(
      ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!descriptor_.is_open()) throw system_error(errno, "write", file_.string());
  sync_directory(file_.parent_path());
}

void Journal::append(TransactionState state, const Json& details) {
  const std::string payload = next_payload(state, details, is_chained_, last_digest_);
  const off_t end = ::lseek(descriptor_.get(), 0, SEEK_END);
  try {
    write_all(descriptor_, framed(payload), file_);
  } catch (...) {
    // A partial record must not stay before the next one.
    if (end >= 0) static_cast<void>(!::ftruncate(descriptor_.get(), end));
    throw;
  }
  // Also for a record that did not reach the disk: the next record builds on it.
  last_digest_ = sha256_of(payload);
  if (::fsync(descriptor_.get()) != 0) throw system_error(errno, "write", file_.string());
}

Json readable_beginning(const fs::path& file) {
  try {
    const std::string bytes = journal_bytes(file).value_or("");
    ParsedJournal journal;
    const auto payload = whole_payload(bytes);
    if (payload) return parse_record(*payload, file.string(), journal).details;
  } catch (const Error&) {
    // Empty: the rest of the report works without it.
  }
  return Json::object();
}

void rewrite_journal(const fs::path& file, const std::vector<JournalRecord>& records) {
  const fs::path aside = concat(file.string(), ".damaged");
  if (fs::symlink_status(file).type() != fs::file_type::not_found) {
    fs::remove_all(aside);
    if (::rename(file.c_str(), aside.c_str()) != 0)
      throw system_error(errno, "rename", file.string());
  }
  std::string bytes;
  std::string last_digest;
  for (const JournalRecord& record : records) {
    const std::string payload = next_payload(record.state, record.details, true, last_digest);
    bytes += framed(payload);
    last_digest = sha256_of(payload);
  }
  write_durably(file, bytes, 0600);
}

std::vector<JournalRecord> parse_journal(std::string_view bytes, const std::string& subject) {
  return parsed(bytes, subject).records;
}

std::vector<JournalRecord> read_journal(const fs::path& file) {
  const auto bytes = journal_bytes(file);
  return bytes ? parse_journal(*bytes, file.string()) : std::vector<JournalRecord>();
}

}  // namespace topsctl
