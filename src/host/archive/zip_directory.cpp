// Finds and parses the central directory of a zip archive; trusts no value before it was checked.
#include "host/archive/zip_directory.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include "host/archive/zip_bytes.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompression_limit.hpp"
#include "topsctl/host/archive/tar.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t end_size = 22;
constexpr std::uint64_t locator_size = 20;
constexpr std::uint64_t end64_size = 56;
constexpr std::uint64_t central_size = 46;
constexpr std::uint64_t local_header_size = 30;
constexpr std::string_view end_magic = "PK\5\6";
constexpr std::string_view locator_magic = "PK\6\7";
constexpr std::string_view end64_magic = "PK\6\6";
constexpr std::string_view central_magic = "PK\1\2";
constexpr std::uint64_t most_entries = 1'000'000;
constexpr std::uint64_t most_directory = 128ULL << 20U;
constexpr std::uint64_t most_list = 56ULL << 20U;  // bytes of memory

// Deflate packs at best 258 bytes into 2 bits.
constexpr std::uint64_t best_ratio = 1100;

[[noreturn]] void refuse_directory(const std::string& subject, std::string_view why) {
  throw unreadable_file(subject, why);
}

// The position of the directory, as offsets in the range.
struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t count = 0;
  std::uint64_t prepended = 0;  // bytes before the archive, which its own offsets leave out
};

// A field of the old end record is all ones if only the zip64 record can hold the value.
bool agrees(std::uint64_t old_field, unsigned bytes, std::uint64_t value) {
  return old_field == value || old_field == (1ULL << (8U * bytes)) - 1;
}

class DirectorySearch {
 public:
  DirectorySearch(const FileRange& range, const std::string& subject)
      : range_(range), subject_(subject) {}

  Directory find() {
    read_end_record();
    if (at_ >= locator_size) read_zip64();
    if (end_disks_ != 0) refuse_directory(subject_, "a multi-part zip archive");
    if (size_ > at_ || offset_ > at_ - size_) {
      refuse_directory(subject_, "the zip central directory is not where its end record says");
    }
    if (size_ > most_directory || count_ > most_entries) {
      throw DecompressionBomb(
          subject_, format("{} entries in a central directory of {}", count_, human_size(size_)));
    }
    return {at_ - size_, at_, count_, at_ - size_ - offset_};
  }

 private:
  // Searched like Python's zipfile does: without a comment at the very end, else the last one.
  void read_end_record() {
    const std::uint64_t tail_size = std::min<std::uint64_t>(range_.size, end_size + 65535);
    const std::string tail = bytes_at(range_, range_.size - tail_size, tail_size, subject_);
    std::size_t found = std::string::npos;
    if (tail.size() >= end_size && tail.ends_with(std::string_view("\0\0", 2)) &&
        tail.compare(tail.size() - end_size, end_magic.size(), end_magic) == 0) {
      found = tail.size() - end_size;
    } else {
      found = tail.rfind(end_magic);
    }
    if (found == std::string::npos || tail.size() - found < end_size) {
      refuse_directory(subject_, "not a zip archive, or a truncated one");
    }
    at_ = range_.size - tail_size + found;
    const std::string_view record = std::string_view(tail).substr(found, end_size);
    end_disks_ = number_at(record, 4, 2) | number_at(record, 6, 2);
    if (end_disks_ == 0xFFFF) end_disks_ = 0;
    here_ = number_at(record, 8, 2);
    count_ = number_at(record, 10, 2);
    size_ = number_at(record, 12, 4);
    offset_ = number_at(record, 16, 4);
    if (here_ != count_) refuse_directory(subject_, "a multi-part zip archive");
  }

  void read_zip64() {
    const std::string locator = bytes_at(range_, at_ - locator_size, locator_size, subject_);
    if (!locator.starts_with(locator_magic)) return;
    if (number_at(locator, 4, 4) != 0 || number_at(locator, 16, 4) > 1) {
      refuse_directory(subject_, "a multi-part zip archive");
    }
    if (at_ < locator_size + end64_size) refuse_directory(subject_, "a damaged zip64 end record");
    const std::uint64_t end64 = at_ - locator_size - end64_size;
    const std::string record = bytes_at(range_, end64, end64_size, subject_);
    const std::uint64_t count = number_at(record, 32, 8);
    const std::uint64_t size = number_at(record, 40, 8);
    const std::uint64_t offset = number_at(record, 48, 8);
    // Readers differ in which record they use: both must agree.
    if (!record.starts_with(end64_magic) || number_at(record, 24, 8) != count ||
        number_at(record, 16, 8) != 0 || !agrees(count_, 2, count) || !agrees(size_, 4, size) ||
        !agrees(offset_, 4, offset)) {
      refuse_directory(subject_, "a damaged zip64 end record");
    }
    at_ = end64;
    count_ = count;
    size_ = size;
    offset_ = offset;
  }

  const FileRange& range_;
  const std::string& subject_;
  std::uint64_t at_ = 0;  // of the end record; the directory ends there
  std::uint64_t end_disks_ = 0;
  std::uint64_t here_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t offset_ = 0;
};

// APPNOTE 4.4.6; zero for an invalid date.
std::int64_t seconds_of(std::uint64_t date, std::uint64_t time) {
  namespace ch = std::chrono;
  const ch::year_month_day day{ch::year(static_cast<int>(1980 + (date >> 9U))),
                               ch::month(static_cast<unsigned>((date >> 5U) & 15U)),
                               ch::day(static_cast<unsigned>(date & 31U))};
  if (!day.ok()) return 0;
  const auto of_day = static_cast<std::int64_t>((time >> 11U) * 3600 + ((time >> 5U) & 63U) * 60 +
                                                (time & 31U) * 2);
  return ch::sys_days(day).time_since_epoch() / ch::seconds(1) + of_day;
}

PayloadEntry::Type type_of(std::string_view name, std::uint64_t unix_mode) {
  if (name.ends_with('/')) return PayloadEntry::Type::directory;
  switch (unix_mode & 0170000U) {
    case 0120000:
      return PayloadEntry::Type::symlink;
    case 0020000:
      return PayloadEntry::Type::character_device;
    case 0060000:
      return PayloadEntry::Type::block_device;
    case 0010000:
      return PayloadEntry::Type::fifo;
    case 0140000:
      return PayloadEntry::Type::other;
    default:
      return PayloadEntry::Type::file;  // as pip treats everything whose name does not end in a
                                        // slash
  }
}

// The zip64 field (APPNOTE 4.5.3) has only values whose old fields are all ones.
bool take_zip64(std::string_view extra, ZipEntry& entry, std::uint64_t disk) {
  constexpr std::uint64_t ones = 0xFFFFFFFF;
  const bool is_wanted = entry.size == ones || entry.compressed_size == ones ||
                         entry.data_offset == ones || disk == 0xFFFF;
  if (!is_wanted) return true;
  while (extra.size() >= 4) {
    const std::uint64_t id = number_at(extra, 0, 2);
    const std::uint64_t size = number_at(extra, 2, 2);
    extra.remove_prefix(4);
    if (size > extra.size()) return false;
    std::string_view field = extra.substr(0, size);
    extra.remove_prefix(size);
    if (id != 1) continue;
    for (std::uint64_t* value : {&entry.size, &entry.compressed_size, &entry.data_offset}) {
      if (*value != ones) continue;
      if (field.size() < 8) return false;
      *value = number_at(field, 0, 8);
      field.remove_prefix(8);
    }
    return disk != 0xFFFF || (field.size() >= 4 && number_at(field, 0, 4) == 0);
  }
  return false;
}

std::string_view problem_of(const ZipEntry& entry, std::uint64_t flags, std::uint64_t needs) {
  constexpr std::uint64_t latest = 63;         // APPNOTE 6.3, and Python's zipfile
  constexpr std::uint64_t encrypted = 0x2041;  // bits 0, 6 and 13
  constexpr std::uint64_t patch = 0x20;
  if (entry.raw_path.find('\0') != std::string::npos) return "its name contains a NUL byte";
  if (entry.path.empty() && entry.type != PayloadEntry::Type::directory) return "it has no name";
  if (needs > latest) return "of a later version of the zip format";
  if ((flags & encrypted) != 0) return "encrypted";
  if ((flags & patch) != 0 || (entry.method != 0 && entry.method != 8)) {
    return "compressed with a method that wheels do not use";
  }
  if (entry.method == 0 && entry.size != entry.compressed_size)
    return "stored uncompressed with a different size";
  return {};
}

// The next entry from its record, which is whole.
ZipEntry entry_of(std::string_view record, const Directory& directory, const std::string& subject) {
  const std::size_t name_size = number_at(record, 28, 2);
  const std::uint64_t unix_mode = number_at(record, 38, 4) >> 16U;
  const std::uint64_t disk = number_at(record, 34, 2);
  ZipEntry entry;
  entry.raw_path = record.substr(central_size, name_size);
  entry.path = plain_path(entry.raw_path);
  require_shallow(entry.path, subject);
  entry.escapes = path_escapes(entry.raw_path);
  entry.type = type_of(entry.raw_path, unix_mode);
  entry.mode = static_cast<unsigned>(unix_mode & 07777U);
  entry.mtime = seconds_of(number_at(record, 14, 2), number_at(record, 12, 2));
  entry.method = static_cast<unsigned>(number_at(record, 10, 2));
  entry.crc = static_cast<std::uint32_t>(number_at(record, 16, 4));
  entry.compressed_size = number_at(record, 20, 4);
  entry.size = number_at(record, 24, 4);
  entry.data_offset = number_at(record, 42, 4);
  const std::string_view extra = record.substr(central_size + name_size, number_at(record, 30, 2));
  if (!take_zip64(extra, entry, disk)) refuse_directory(subject, "a damaged zip64 field");
  if (disk != 0 && disk != 0xFFFF) refuse_directory(subject, "a multi-part zip archive");
  const std::uint64_t room = directory.begin - directory.prepended;
  const std::uint64_t header = local_header_size + name_size;
  if (entry.data_offset > room || room - entry.data_offset < header ||
      room - entry.data_offset - header < entry.compressed_size) {
    refuse_directory(subject,
                     format("entry {} lies outside the archive", in_quotes(entry.raw_path)));
  }
  entry.data_offset += directory.prepended;
  entry.problem = problem_of(entry, number_at(record, 8, 2), number_at(record, 6, 1));
  if (entry.problem.empty() && entry.method == 8 &&
      entry.size / best_ratio > entry.compressed_size) {
    entry.problem = impossible_ratio;
  }
  return entry;
}

// Overlapping entries are how a bomb becomes small (non-recursive zip bombs).
void bound_entries(std::vector<ZipEntry>& entries, std::uint64_t end, const std::string& subject) {
  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return entries[a].data_offset < entries[b].data_offset;
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    ZipEntry& entry = entries[order[i]];
    entry.data_end = i + 1 < order.size() ? entries[order[i + 1]].data_offset : end;
    const std::uint64_t least = local_header_size + entry.raw_path.size() + entry.compressed_size;
    if (entry.data_end - entry.data_offset < least) {
      throw DecompressionBomb(subject,
                              format("entry {} overlaps another", in_quotes(entry.raw_path)));
    }
  }
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(const FileRange& range, const std::string& subject) {
  std::vector<ZipEntry> entries;
  const Directory directory = DirectorySearch(range, subject).find();
  RangeWindow window(range, directory.begin, directory.end, subject);
  std::uint64_t memory = 0;
  while (window.left() > 0) {
    std::string_view record = window.peek(central_size);
    if (record.size() < central_size || !record.starts_with(central_magic)) {
      refuse_directory(subject, "a damaged zip central directory");
    }
    const std::size_t size = central_size + number_at(record, 28, 2) + number_at(record, 30, 2) +
                             number_at(record, 32, 2);
    record = window.peek(size);
    if (record.size() < size || entries.size() == directory.count) {
      refuse_directory(subject, "a damaged zip central directory");
    }
    entries.push_back(entry_of(record, directory, subject));
    memory +=
        sizeof(ZipEntry) + entries.back().path.capacity() + entries.back().raw_path.capacity();
    if (memory > most_list) {
      throw DecompressionBomb(subject, format("more than {} entries", entries.size()));
    }
    window.skip(size);
  }
  if (entries.size() != directory.count)
    refuse_directory(subject, "a damaged zip central directory");
  bound_entries(entries, directory.begin, subject);
  return entries;
}

}  // namespace topsctl
