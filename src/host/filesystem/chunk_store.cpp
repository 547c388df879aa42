// Stores received content so that nothing is transferred twice.
#include "topsctl/host/filesystem/chunk_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t mark_bytes = 32;
constexpr mode_t own_file = 0600;
constexpr const char* again_hint = "run the same command again: only missing data is sent";

bool is_mark(std::string_view mark) {
  return mark.find_first_not_of('\0') != std::string_view::npos;
}

Descriptor opened_part(const fs::path& file, int flags) {
  Descriptor result(::open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, own_file));
  if (!result.is_open()) throw system_error(errno, "write", file.string(), ErrorCode::host_unfit);
  return result;
}

void write_at(const Descriptor& to, std::uint64_t offset, std::string_view bytes,
              const fs::path& name) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(to.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error(errno, "write", name.string(), ErrorCode::host_unfit);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

// Whether all bytes were present.
bool fill_from(const Descriptor& from, std::uint64_t offset, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(from.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

// Empty if the file ends earlier.
std::string read_at(const Descriptor& from, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  return fill_from(from, offset, bytes) ? bytes : std::string();
}

ChunkDigest digest_at(const Descriptor& data, std::uint64_t offset, std::uint64_t size) {
  constexpr std::uint64_t block = 256U << 10U;
  Sha256 digest;
  std::string buffer(std::min(size, block), '\0');
  while (size > 0) {
    const std::span<char> bytes(buffer.data(), std::min(size, block));
    if (!fill_from(data, offset, bytes)) return {};
    digest.update({bytes.data(), bytes.size()});
    offset += bytes.size();
    size -= bytes.size();
  }
  return digest.bytes();
}

// Changes if an object changes: a write sets its time.
std::string seal_of(const struct stat& status) {
  return concat(status.st_ino, " ", status.st_size, " ", status.st_mtim.tv_sec, ".",
                status.st_mtim.tv_nsec, "\n");
}

fs::path seal_file(const fs::path& store, const std::string& id) {
  return store / "objects" / concat(id, ".seal");
}

void remove_if_old(const fs::path& file, std::int64_t most_age_s, nlink_t most_names) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (status.st_nlink <= most_names && std::time(nullptr) - status.st_mtim.tv_sec > most_age_s)
    ::unlink(file.c_str());
}

// While it lives, no other run opens or completes a part of this store, so that part and marks are
// consistent and the name still refers to the same file.
Descriptor locked(const fs::path& store) {
  require_own_folder(store / "objects");
  require_own_folder(store / "parts");
  Descriptor folder(::open((store / "parts").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) throw system_error(errno, "open", (store / "parts").string());
  while (::flock(folder.get(), LOCK_EX) != 0) {
    if (errno != EINTR) throw system_error(errno, "lock", (store / "parts").string());
    throw_if_interrupted();
  }
  return folder;
}

bool is_same_file(const fs::path& file, const struct stat& status) {
  struct stat there {};
  return ::lstat(file.c_str(), &there) == 0 && there.st_ino == status.st_ino &&
         there.st_dev == status.st_dev;
}

}  // namespace

bool is_content_id(std::string_view text) {
  return text.size() == 2 * mark_bytes && bytes_of_hex(text).has_value();
}

Part::Part(const fs::path& store, const std::string& id, std::uint64_t size)
    : Part(locked(store), store, id, size) {}

std::optional<Part> Part::unless_whole(const fs::path& store, const std::string& id,
                                       std::uint64_t size) {
  const Descriptor lock = locked(store);
  if (whole_object(store, id, size)) return std::nullopt;
  return Part(lock, store, id, size);
}

Part::Part(const Descriptor& /*lock*/, const fs::path& store, const std::string& id,
           std::uint64_t size)
    : store_(store), id_(id), size_(size), file_(store / "parts" / concat(id, ".part")) {
  data_ = opened_part(file_, O_RDWR | O_CREAT);
  marks_ = opened_part(store / "parts" / concat(id, ".marks"), O_RDWR | O_CREAT);
  if (::ftruncate(data_.get(), static_cast<off_t>(size)) != 0 ||
      ::ftruncate(marks_.get(), static_cast<off_t>(chunk_count(size) * mark_bytes)) != 0)
    throw system_error(errno, "write", file_.string());
}

std::vector<std::optional<ChunkDigest>> Part::marks() const {
  std::vector<std::optional<ChunkDigest>> found(chunk_count(size_));
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::string mark = read_at(marks_, i * mark_bytes, mark_bytes);
    if (is_mark(mark)) found[i] = std::move(mark);
  }
  return found;
}

std::vector<std::optional<ChunkDigest>> Part::verified() {
  std::vector<std::optional<ChunkDigest>> found = marks();
  for_each_index(found.size(), [&](std::size_t i) {
    if (!found[i] || digest_at(data_, i * chunk_bytes, chunk_size(size_, i)) == *found[i]) return;
    found[i].reset();
    write_at(marks_, i * mark_bytes, std::string(mark_bytes, '\0'), file_);
  });
  return found;
}

bool Part::is_complete() const {
  return object_in(store_, id_).has_value();
}

void Part::begin(std::uint64_t chunk) {
  write_at(marks_, chunk * mark_bytes, std::string(mark_bytes, '\0'), file_);
}

void Part::write(std::uint64_t offset, std::string_view bytes) {
  write_at(data_, offset, bytes, file_);
}

void Part::mark(std::uint64_t chunk, const ChunkDigest& digest) {
  write_at(marks_, chunk * mark_bytes, digest, file_);
  ::sync_file_range(data_.get(), static_cast<off_t>(chunk * chunk_bytes),
                    static_cast<off_t>(chunk_bytes), SYNC_FILE_RANGE_WRITE);
}

void Part::complete() {
  const Descriptor lock = locked(store_);
  struct stat status {};
  if (::fstat(data_.get(), &status) != 0) throw system_error(errno, "read", file_.string());
  const fs::path marks_file = store_ / "parts" / concat(id_, ".marks");
  const fs::path object = store_ / "objects" / id_;
  const bool has_name = is_same_file(file_, status);
  // Another run may have completed it, from this part or an earlier one: chunks that arrived later
  // are not in ours.
  if (whole_object(store_, id_, size_)) {
    if (has_name) {
      ::unlink(file_.c_str());
      ::unlink(marks_file.c_str());
    }
    return;
  }
  if (!has_name)
    throw Error(ErrorCode::internal,
                format("{} was removed by another process", in_quotes(file_.string())), again_hint);
  // A chunk that another run is writing again has no mark, but may be complete.
  ChunkList chunks{size_, {}};
  for (const auto& mark : marks()) {
    const std::size_t i = chunks.digests.size();
    chunks.digests.push_back(mark ? *mark
                                  : digest_at(data_, i * chunk_bytes, chunk_size(size_, i)));
  }
  if (content_id(chunks) != id_)
    throw Error(ErrorCode::internal, "some received chunks differ from those sent", again_hint);
  constexpr mode_t readable_by_all = 0644;
  if (::fchmod(data_.get(), readable_by_all) != 0 || ::fsync(data_.get()) != 0 ||
      ::fstat(data_.get(), &status) != 0)
    throw system_error(errno, "write", file_.string());
  write_durably(seal_file(store_, id_), seal_of(status), own_file);
  if (::rename(file_.c_str(), object.c_str()) != 0)
    throw system_error(errno, "write", file_.string());
  sync_directory(store_ / "objects");
  ::unlink(marks_file.c_str());
}

ArrivingObject::ArrivingObject(const fs::path& store, const std::string& id, std::uint64_t size)
    : size_(size) {
  if (const auto whole = object_in(store, id)) {
    data_ = opened_part(*whole, O_RDONLY);
    return;
  }
  marks_ = opened_part(store / "parts" / concat(id, ".marks"), O_RDONLY);
  data_ = opened_part(store / "parts" / concat(id, ".part"), O_RDONLY);
}

std::vector<bool> ArrivingObject::present() const {
  std::vector<bool> found(chunk_count(size_), true);
  if (!marks_.is_open()) return found;
  const std::string marks = read_at(marks_, 0, found.size() * mark_bytes);
  if (marks.empty()) found.assign(found.size(), false);
  for (std::size_t i = 0; i < found.size() && !marks.empty(); ++i)
    found[i] = is_mark(std::string_view(marks).substr(i * mark_bytes, mark_bytes));
  return found;
}

void ArrivingObject::watch_with(FileWatch& watch) const {
  // By its descriptor, because the file may have been renamed.
  if (marks_.is_open()) watch.add(concat("/proc/self/fd/", marks_.get()));
}

void ArrivingObject::read(std::uint64_t offset, std::span<char> bytes) const {
  if (!fill_from(data_, offset, bytes))
    throw Error(ErrorCode::internal, "received data is missing");
}

std::optional<fs::path> object_in(const fs::path& store, const std::string& id) {
  const fs::path file = store / "objects" / id;
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (read_text_if_present(seal_file(store, id), 4096) != seal_of(status)) return std::nullopt;
  return file;
}

std::optional<fs::path> whole_object(const fs::path& store, const std::string& id,
                                     std::uint64_t size) {
  if (const auto sealed = object_in(store, id)) return sealed;
  const fs::path file = store / "objects" / id;
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const Descriptor data = opened_part(file, O_RDONLY);
  ChunkList chunks{size, std::vector<ChunkDigest>(chunk_count(size))};
  for_each_index(chunks.digests.size(), [&](std::size_t i) {
    chunks.digests[i] = digest_at(data, i * chunk_bytes, chunk_size(size, i));
  });
  if (static_cast<std::uint64_t>(status.st_size) != size || content_id(chunks) != id)
    return std::nullopt;
  write_durably(seal_file(store, id), seal_of(status), own_file);
  return file;
}

void remove_old_objects(const fs::path& store) {
  constexpr std::int64_t day_s = 86'400;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(store / "parts", ignored))
    remove_if_old(entry.path(), 14 * day_s, 1);
  for (const auto& entry : fs::directory_iterator(store / "objects", ignored)) {
    if (!is_content_id(entry.path().filename().string())) continue;
    remove_if_old(entry.path(), 30 * day_s, 1);
    if (!fs::exists(entry.path(), ignored))
      ::unlink(seal_file(store, entry.path().filename().string()).c_str());
  }
}

}  // namespace topsctl
