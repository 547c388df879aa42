// Reads tar archives through libarchive.
#include "topsctl/host/archive/tar.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompression_limit.hpp"

namespace topsctl {

struct TarReader::State {
  State(Source& bytes, std::string name)
      : reader(archive_read_new()), source(bytes), subject(std::move(name)) {
    if (reader == nullptr) throw Error(ErrorCode::internal, "libarchive is out of memory");
  }
  ~State() { archive_read_free(reader); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[noreturn]] void fail() const {
    // The source's exception is more specific than libarchive's error.
    if (failure) std::rethrow_exception(failure);
    const char* text = archive_error_string(reader);
    throw unreadable_file(subject, text == nullptr ? "damaged archive" : printable(text));
  }

  archive* reader;
  Source& source;
  std::string subject;
  std::exception_ptr failure;

  // Of the current entry: the position of its next bytes, the zeros of a hole before them, and the
  // bytes.
  std::uint64_t position = 0;
  std::uint64_t hole = 0;
  std::string_view after_hole;
  std::uint64_t size = 0;
  std::uint64_t claimed = 0;    // bytes of its content, by its header
  std::uint64_t all_holes = 0;  // for all entries
};

namespace {

constexpr std::uint64_t most_holes = 16ULL << 30U;

PayloadEntry::Type tar_type(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return PayloadEntry::Type::hardlink;
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return PayloadEntry::Type::file;
    case AE_IFDIR:
      return PayloadEntry::Type::directory;
    case AE_IFLNK:
      return PayloadEntry::Type::symlink;
    case AE_IFCHR:
      return PayloadEntry::Type::character_device;
    case AE_IFBLK:
      return PayloadEntry::Type::block_device;
    case AE_IFIFO:
      return PayloadEntry::Type::fifo;
    default:
      return PayloadEntry::Type::other;
  }
}

std::string owner_of(archive_entry* entry) {
  const char* user = archive_entry_uname(entry);
  const char* group = archive_entry_gname(entry);
  const std::string user_number = std::to_string(archive_entry_uid(entry));
  const std::string group_number = std::to_string(archive_entry_gid(entry));
  return concat(user == nullptr || *user == '\0' ? user_number : std::string(user), "/",
                group == nullptr || *group == '\0' ? group_number : std::string(group));
}

const char* link_of(archive_entry* entry, PayloadEntry::Type type) {
  if (type == PayloadEntry::Type::hardlink) return archive_entry_hardlink(entry);
  return type == PayloadEntry::Type::symlink ? archive_entry_symlink(entry) : nullptr;
}

// No exception may pass through libarchive.
la_ssize_t read_tar_block(archive* self, void* data, const void** out) {
  auto& state = *static_cast<TarReader::State*>(data);
  try {
    const std::string_view bytes = state.source.piece();
    *out = bytes.data();
    return static_cast<la_ssize_t>(bytes.size());
  } catch (...) {
    state.failure = std::current_exception();
    archive_set_error(self, EIO, "damaged");
    return ARCHIVE_FATAL;
  }
}

}  // namespace

std::string plain_path(std::string_view path) {
  std::string plain;
  plain.reserve(path.size());
  while (!path.empty()) {
    const auto end = path.find('/');
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    if (part.empty() || part == ".") continue;
    if (!plain.empty()) plain.push_back('/');
    plain.append(part);
  }
  return plain;
}

bool path_escapes(std::string_view path) {
  if (path.starts_with('/')) return true;
  while (!path.empty()) {
    const auto end = path.find('/');
    if (path.substr(0, end) == "..") return true;
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return false;
}

void require_shallow(std::string_view path, const std::string& subject) {
  constexpr std::ptrdiff_t deepest = 128;
  if (std::count(path.begin(), path.end(), '/') < deepest) return;
  throw unreadable_file(subject, format("entry {} is nested more than {} directories deep",
                                        in_quotes(shortened(path, 100)), deepest));
}

TarReader::TarReader(Source& source, std::string subject)
    : state_(std::make_unique<State>(source, std::move(subject))) {
  archive* reader = state_->reader;
  archive_read_support_format_tar(reader);
  archive_read_support_format_empty(reader);
  if (archive_read_open(reader, state_.get(), nullptr, read_tar_block, nullptr) != ARCHIVE_OK) {
    state_->fail();
  }
}

TarReader::~TarReader() = default;
TarReader::TarReader(TarReader&&) noexcept = default;
TarReader& TarReader::operator=(TarReader&&) noexcept = default;

std::optional<TarEntry> TarReader::next() {
  archive_entry* raw = nullptr;
  const int status = archive_read_next_header(state_->reader, &raw);
  if (status == ARCHIVE_EOF) {
    // Only at the end of the data, not of the tar, the checksum of the compression is seen.
    drain(state_->source);
    return std::nullopt;
  }
  if (status < ARCHIVE_WARN || state_->failure) state_->fail();
  const char* path = archive_entry_pathname(raw);
  if (path == nullptr) state_->fail();
  TarEntry entry;
  entry.raw_path = path;
  entry.path = plain_path(entry.raw_path);
  require_shallow(entry.path, state_->subject);
  entry.escapes = path_escapes(entry.raw_path);
  entry.type = tar_type(raw);
  // Directories and devices may declare a size too.
  const bool has_data =
      entry.type == PayloadEntry::Type::file || entry.type == PayloadEntry::Type::hardlink;
  entry.size = has_data && archive_entry_size_is_set(raw) != 0 && archive_entry_size(raw) > 0
                   ? static_cast<std::uint64_t>(archive_entry_size(raw))
                   : 0;
  entry.mode = archive_entry_perm(raw);
  entry.owner = owner_of(raw);
  entry.mtime = archive_entry_mtime(raw);
  if (const char* target = link_of(raw, entry.type)) entry.link_target = target;
  entry.is_sparse = archive_entry_sparse_count(raw) > 0;
  state_->position = state_->hole = 0;
  state_->after_hole = {};
  state_->size = entry.is_sparse ? entry.size : 0;
  state_->claimed = entry.size;
  entry.device_major = static_cast<unsigned>(archive_entry_rdevmajor(raw));
  entry.device_minor = static_cast<unsigned>(archive_entry_rdevminor(raw));
  return entry;
}

std::string_view TarReader::piece() {
  State& state = *state_;
  if (state.hole == 0 && state.after_hole.empty()) read_data();
  if (state.hole > 0) {
    static constexpr std::array<char, 65536> zeros{};
    const std::size_t size = std::min<std::uint64_t>(state.hole, zeros.size());
    state.hole -= size;
    state.position += size;
    return {zeros.data(), size};
  }
  state.position += state.after_hole.size();
  return std::exchange(state.after_hole, {});
}

// A sparse entry has less data than content: its holes are zeros.
void TarReader::read_data() {
  State& state = *state_;
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  int status = ARCHIVE_OK;
  while (size == 0 && status == ARCHIVE_OK) {
    status = archive_read_data_block(state.reader, &bytes, &size, &offset);
  }
  if (status != ARCHIVE_OK && status != ARCHIVE_EOF) state.fail();
  const std::uint64_t begin =
      status == ARCHIVE_EOF ? state.size : static_cast<std::uint64_t>(offset);
  // A header of GNU tar has two sizes; programs go by either.
  if (status == ARCHIVE_EOF && std::max(begin, state.position) != state.claimed) {
    throw unreadable_file(state.subject, "the size of an entry differs from its header");
  }
  if (status == ARCHIVE_OK) state.after_hole = {static_cast<const char*>(bytes), size};
  if (begin <= state.position) return;
  state.hole = begin - state.position;
  state.all_holes += state.hole;
  if (state.all_holes > most_holes) {
    throw DecompressionBomb(state.subject, format("more than {} of holes", human_size(most_holes)));
  }
}

std::string TarReader::text(std::uint64_t most) {
  std::string text;
  text.reserve(std::min(state_->claimed, most));
  for (std::string_view bytes = piece(); !bytes.empty(); bytes = piece()) {
    if (bytes.size() > most - text.size()) {
      throw Error(ErrorCode::bad_package,
                  format("cannot read {}: an entry that should be text is larger than {}",
                         in_quotes(state_->subject), human_size(most)),
                  "no valid package contains such a file: get the package again from the vendor");
    }
    text.append(bytes);
  }
  return text;
}

}  // namespace topsctl
