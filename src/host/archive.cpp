// Streaming archive reading through libarchive.
#include "topsctl/host/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/descriptor.hpp"
#include "topsctl/host/gzip.hpp"
#include "topsctl/host/zip_names.hpp"

namespace topsctl {

struct ArchiveReader::State {
  explicit State(std::string name) : reader(archive_read_new()), subject(std::move(name)) {
    if (reader == nullptr) throw Error(ErrorCode::internal, "libarchive does not start");
  }
  ~State() {
    archive_read_free(reader);
    if (mapping != nullptr) ::munmap(mapping, mapping_size);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[noreturn]] void fail() const {
    const char* reason = archive_error_string(reader);
    throw Error(ErrorCode::bad_package,
                concat("cannot read ", in_quotes(subject), ": ",
                       printable(reason == nullptr ? "damaged archive" : reason)),
                "the file is damaged or cut short: copy it again and compare its size and sha256");
  }

  // Private: what is changed of it stays here.
  void map(std::size_t size) {
    void* at = size == 0
                   ? MAP_FAILED
                   : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, input.get(), 0);
    if (at == MAP_FAILED) {
      throw Error(ErrorCode::bad_package,
                  concat("cannot read ", in_quotes(subject), ": empty, or too large to map"));
    }
    mapping = at;
    mapping_size = size;
  }

  archive* reader;
  std::string subject;
  void* mapping = nullptr;
  std::size_t mapping_size = 0;
  Descriptor input;
  std::uint64_t offset = 0;  // of the next byte to hand to libarchive
  std::uint64_t left = 0;
  std::vector<char> buffer;
  std::optional<GzipDecoder> gzip;  // the data is gzip's, and decoded here
  std::string decoded;

  // The next piece of the file; empty at its end. Throws Error.
  std::string_view raw_piece() {
    const std::size_t wanted = std::min<std::uint64_t>(left, buffer.size());
    const ssize_t got =
        wanted == 0 ? 0 : ::pread(input.get(), buffer.data(), wanted, static_cast<off_t>(offset));
    if (got < 0) throw system_error(errno, "read", subject);
    offset += static_cast<std::uint64_t>(got);
    left -= static_cast<std::uint64_t>(got);
    return {buffer.data(), static_cast<std::size_t>(got)};
  }

  std::string_view tar_piece() {
    if (!gzip) return raw_piece();
    for (;;) {
      if (gzip->needs_input()) {
        const std::string_view compressed = raw_piece();
        if (compressed.empty() && !gzip->is_complete())
          throw Error(ErrorCode::bad_package, "gzip data cut short");
        if (compressed.empty()) return {};
        gzip->give(compressed);
      }
      const std::string_view bytes = gzip->take(decoded);
      if (!bytes.empty()) return bytes;
    }
  }
};

namespace {

constexpr std::size_t block = 1U << 18U;

PayloadEntry::Type type_of(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return PayloadEntry::Type::hardlink;
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return PayloadEntry::Type::file;
    case AE_IFDIR:
      return PayloadEntry::Type::directory;
    case AE_IFLNK:
      return PayloadEntry::Type::symlink;
    default:
      return PayloadEntry::Type::other;
  }
}

std::string without_dots(std::string_view path) {
  std::vector<std::string> kept;
  for (std::string& part : split(path, '/')) {
    if (!part.empty() && part != ".") kept.push_back(std::move(part));
  }
  return joined(kept, "/");
}

bool climbs(std::string_view path) {
  const std::vector<std::string> parts = split(path, '/');
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

}  // namespace

ArchiveReader::ArchiveReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArchiveReader::~ArchiveReader() = default;
ArchiveReader::ArchiveReader(ArchiveReader&&) noexcept = default;
ArchiveReader& ArchiveReader::operator=(ArchiveReader&&) noexcept = default;

ArchiveReader ArchiveReader::tar(const std::filesystem::path& file, std::uint64_t offset,
                                 std::uint64_t size, std::string subject) {
  auto state = std::make_unique<State>(std::move(subject));
  state->input = Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!state->input.is_open()) throw system_error(errno, "read", file.string());
  state->offset = offset;
  state->left = size;
  state->buffer.resize(block);
  std::array<char, 2> magic{};
  if (size >= magic.size() &&
      ::pread(state->input.get(), magic.data(), magic.size(), static_cast<off_t>(offset)) == 2 &&
      std::string_view(magic.data(), magic.size()) == gzip_magic) {
    state->gzip.emplace();
    state->decoded.resize(block);
  }
  archive* reader = state->reader;
  archive_read_support_format_tar(reader);
  // To the end of the data, not of the tar: only there the checksum of the compression is seen.
  archive_read_set_format_option(reader, "tar", "read_concatenated_archives", "1");
  archive_read_support_format_empty(reader);
  archive_read_support_filter_xz(reader);
  archive_read_support_filter_zstd(reader);
  archive_read_support_filter_bzip2(reader);
  archive_read_support_filter_lzma(reader);
  // No exception may pass through libarchive.
  const auto read_block = [](archive* self, void* data, const void** out) -> la_ssize_t {
    try {
      const std::string_view bytes = static_cast<State*>(data)->tar_piece();
      *out = bytes.data();
      return static_cast<la_ssize_t>(bytes.size());
    } catch (const std::exception& error) {
      archive_set_error(self, EIO, "%s", error.what());
      return ARCHIVE_FATAL;
    }
  };
  if (archive_read_open(reader, state.get(), nullptr, read_block, nullptr) != ARCHIVE_OK) {
    state->fail();
  }
  return ArchiveReader(std::move(state));
}

ArchiveReader ArchiveReader::zip(const std::filesystem::path& file, std::string subject) {
  auto state = std::make_unique<State>(std::move(subject));
  state->input = Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (!state->input.is_open() || ::fstat(state->input.get(), &status) != 0) {
    throw system_error(errno, "read", file.string());
  }
  state->map(static_cast<std::size_t>(status.st_size));
  mark_names_as_bytes(static_cast<unsigned char*>(state->mapping), state->mapping_size);
  // The seekable reader goes by the central directory, as pip does.
  archive_read_support_format_zip_seekable(state->reader);
  if (archive_read_open_memory(state->reader, state->mapping, state->mapping_size) != ARCHIVE_OK) {
    state->fail();
  }
  return ArchiveReader(std::move(state));
}

std::optional<ArchiveEntry> ArchiveReader::next() {
  archive_entry* raw = nullptr;
  const int status = archive_read_next_header(state_->reader, &raw);
  if (status == ARCHIVE_EOF) return std::nullopt;
  if (status < ARCHIVE_WARN) state_->fail();
  const char* path = archive_entry_pathname(raw);
  if (path == nullptr) state_->fail();
  if (path[0] == '/' || climbs(path)) {
    throw Error(ErrorCode::bad_package,
                concat("cannot read ", in_quotes(state_->subject), ": entry ", in_quotes(path),
                       " points out of the package"),
                "do not install this file: no sound package holds such a name");
  }
  ArchiveEntry entry;
  entry.path = without_dots(path);
  entry.type = type_of(raw);
  entry.size = archive_entry_size_is_set(raw) != 0 && archive_entry_size(raw) > 0
                   ? static_cast<std::uint64_t>(archive_entry_size(raw))
                   : 0;
  entry.mode = archive_entry_perm(raw);
  const char* target = entry.type == PayloadEntry::Type::hardlink ? archive_entry_hardlink(raw)
                                                                  : archive_entry_symlink(raw);
  if (target != nullptr) entry.link_target = target;
  return entry;
}

std::string_view ArchiveReader::piece() {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  while (size == 0) {
    const int status = archive_read_data_block(state_->reader, &bytes, &size, &offset);
    if (status == ARCHIVE_EOF) return {};
    if (status != ARCHIVE_OK) state_->fail();  // a wrong checksum is but a warning to libarchive
  }
  return {static_cast<const char*>(bytes), size};
}

std::string ArchiveReader::text(std::uint64_t most) {
  std::string text;
  for (std::string_view bytes = piece(); !bytes.empty(); bytes = piece()) {
    text.append(bytes);
    if (text.size() > most) {
      throw Error(ErrorCode::bad_package,
                  concat("cannot read ", in_quotes(state_->subject),
                         ": an entry that should be text is larger than ", human_size(most)));
    }
  }
  return text;
}

}  // namespace topsctl
