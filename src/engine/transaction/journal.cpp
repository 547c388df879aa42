// Appends to and reads transaction journals.
#include "topsctl/engine/transaction/journal.hpp"

#include <fcntl.h>

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

// The payload at the start of `bytes`, if it is whole.
std::optional<std::string_view> whole_payload(std::string_view bytes) {
  if (bytes.size() < prefix_size || bytes[8] != ' ' || bytes[17] != ' ') return std::nullopt;
  const auto length = hex_number(bytes.substr(0, 8));
  const auto checksum = hex_number(bytes.substr(9, 8));
  if (!length || !checksum || bytes.size() - prefix_size <= *length) return std::nullopt;
  const std::string_view payload = bytes.substr(prefix_size, *length);
  if (bytes[prefix_size + *length] != '\n' || crc32c(payload) != *checksum) return std::nullopt;
  return payload;
}

// Whether as many bytes are there as the record's own length asks for.
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
              "a person must look at the transaction's folder; nothing was changed now");
}

// What programs take from details must be of its type, or it is nobody's to act on.
bool is_of_known_types(const Json& details) {
  using Test = bool (*)(const Json&);
  static constexpr Test is_count = [](const Json& value) { return value.is_number_unsigned(); };
  static constexpr Test is_flag = [](const Json& value) { return value.is_boolean(); };
  static constexpr Test is_text = [](const Json& value) { return value.is_string(); };
  static constexpr Test is_list = [](const Json& value) { return value.is_array(); };
  static constexpr Test is_object = [](const Json& value) { return value.is_object(); };
  static constexpr auto known =
      std::to_array<std::pair<const char*, Test>>({{"kept_bytes", is_count},
                                                   {"paths", is_count},
                                                   {"linked", is_count},
                                                   {"copied", is_count},
                                                   {"paths_checked", is_count},
                                                   {"differing", is_count},
                                                   {"was_changed", is_flag},
                                                   {"undo", is_flag},
                                                   {"loader_cache", is_flag},
                                                   {"gave_up", is_flag},
                                                   {"method", is_text},
                                                   {"why_not", is_text},
                                                   {"packages", is_list},
                                                   {"escaped_paths", is_list},
                                                   {"installed_by", is_object}});
  if (!details.is_object()) return false;
  for (const auto& [key, is_right] : known) {
    const auto found = details.find(key);
    if (found != details.end() && !is_right(*found)) return false;
  }
  const auto packages = details.find("packages");
  return packages == details.end() || std::all_of(packages->begin(), packages->end(), is_object);
}

JournalRecord parse_record(std::string_view payload, const std::string& subject) {
  const Json record = Json::parse(payload, nullptr, false);
  if (!record.is_object()) damaged(subject);
  const auto state = record.find("state");
  const auto details = record.find("details");
  if (state == record.end() || !state->is_string() || details == record.end()) damaged(subject);
  const auto known = state_named(state->get<std::string>());
  if (!known || !is_of_known_types(*details)) damaged(subject);
  return {*known, details->dump()};
}

}  // namespace

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
  // A torn record at the end must not stay between whole ones.
  if (const auto bytes = read_text_if_present(file_, most_journal)) {
    static_cast<void>(parse_journal(*bytes, file_.string()));
    std::size_t whole = 0;
    while (const auto payload = whole_payload(std::string_view(*bytes).substr(whole))) {
      whole += prefix_size + payload->size() + 1;
    }
    if (whole < bytes->size() && ::truncate(file_.c_str(), static_cast<off_t>(whole)) != 0) {
      throw system_error(errno, "write", file_.string());
    }
  }
  descriptor_ = Descriptor(
      ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!descriptor_.is_open()) throw system_error(errno, "write", file_.string());
  sync_directory(file_.parent_path());
}

void Journal::append(TransactionState state, const Json& details) {
  const Json record = {{"state", name(state)}, {"details", details}};
  write_all(descriptor_, framed(record.dump(-1, ' ', false, Json::error_handler_t::replace)),
            file_);
  if (::fsync(descriptor_.get()) != 0) throw system_error(errno, "write", file_.string());
}

std::vector<JournalRecord> parse_journal(std::string_view bytes, const std::string& subject) {
  std::vector<JournalRecord> records;
  while (!bytes.empty()) {
    const auto payload = whole_payload(bytes);
    if (!payload) {
      // A record that was cut off has no end of line: one that has it was damaged later.
      if (bytes.find('\n') != std::string_view::npos || has_full_length(bytes)) damaged(subject);
      return records;
    }
    records.push_back(parse_record(*payload, subject));
    bytes.remove_prefix(prefix_size + payload->size() + 1);
  }
  return records;
}

std::vector<JournalRecord> read_journal(const fs::path& file) {
  const auto bytes = read_text_if_present(file, most_journal);
  return bytes ? parse_journal(*bytes, file.string()) : std::vector<JournalRecord>();
}

}  // namespace topsctl
