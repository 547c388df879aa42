// Writes .deb files with archives that are not compressed.
#include "topsctl/host/debian/plain_deb.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "host/debian/ar_member.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/host/debian/deb.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t write_out_every = 32ULL << 20U;

// An output file that is removed as soon as there is no space for it.
class PlainDebFile {
 public:
  PlainDebFile(const fs::path& path, SpaceBudget& budget)
      : path_(path), budget_(budget), file_(open_new_output(path)) {
    if (!file_.is_open()) throw system_error(errno, "write", path.string());
    append(ar_magic);
    begin("debian-binary");
    append("2.0\n");
    end();
  }
  ~PlainDebFile() {
    if (!is_kept_) give_up();
  }
  PlainDebFile(const PlainDebFile&) = delete;
  PlainDebFile& operator=(const PlainDebFile&) = delete;

  void begin(const char* name) {
    name_ = name;
    begun_at_ = size_;
    append(ar_header(name, 0));
  }

  void append(std::string_view bytes) {
    if (is_given_up_) return;
    if (!budget_.take(bytes.size())) return give_up();
    size_ += bytes.size();
    try {
      write_all(file_, bytes, path_);
    } catch (const Error&) {
      // The package itself can still be copied, which needs less space; that copy will report the
      // error.
      return give_up();
    }
    write_out();
  }

  void end() {
    if (is_given_up_) return;
    const std::uint64_t member = size_ - begun_at_ - ar_header_size;
    const std::string known = ar_header(name_, member);
    if (member > largest_ar_member ||
        ::pwrite(file_.get(), known.data(), known.size(), static_cast<off_t>(begun_at_)) !=
            static_cast<ssize_t>(known.size())) {
      return give_up();
    }
    if (member % 2 != 0) append("\n");
  }

  void give_up() {
    if (is_given_up_) return;
    is_given_up_ = true;
    // A confined process cannot remove it.
    if (::unlink(path_.c_str()) != 0) static_cast<void>(!::ftruncate(file_.get(), 0));
    budget_.give_back(size_);
  }

  // Whether it is complete, and stays.
  bool keep() {
    is_kept_ = !is_given_up_;
    return is_kept_;
  }
  std::uint64_t size() const { return size_; }

 private:
  // Decoding leaves the disk idle; data that is written back now need not be waited for when the
  // snapshot is synced.
  void write_out() {
    if (size_ - written_out_ < write_out_every) return;
    ::sync_file_range(file_.get(), static_cast<off_t>(written_out_),
                      static_cast<off_t>(size_ - written_out_), SYNC_FILE_RANGE_WRITE);
    written_out_ = size_;
  }

  const fs::path& path_;
  SpaceBudget& budget_;
  Descriptor file_;
  const char* name_ = "";
  std::uint64_t begun_at_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t written_out_ = 0;
  bool is_given_up_ = false;
  bool is_kept_ = false;
};

}  // namespace

bool SpaceBudget::take(std::uint64_t bytes) {
  std::uint64_t left = left_;
  while (left >= bytes) {
    if (left_.compare_exchange_weak(left, left - bytes)) return true;
  }
  return false;
}

PlainDeb read_deb_to_plain(const fs::path& from, Package& package, const fs::path& to,
                           SpaceBudget& budget) {
  PlainDebFile output(to, budget);
  // dpkg treats the old format in its own ways.
  if (!package.deb || !package.deb->format.starts_with("2.")) output.give_up();
  Sha256 digest;
  const auto file = file_source(from);
  ObservedSource source(*file, [&](std::string_view bytes) { digest.update(bytes); });
  DebWatch watch;
  watch.archive_begins = [&](DebArchive archive, std::string_view compression) {
    if (archive == DebArchive::data && compression == "none") output.give_up();
    output.begin(archive == DebArchive::control ? "control.tar" : "data.tar");
  };
  watch.archive_bytes = [&](std::string_view bytes) { output.append(bytes); };
  watch.archive_ends = [&] { output.end(); };
  // For example a signature, which may have to be verified later.
  watch.other_member = [&] { output.give_up(); };
  PlainDeb made;
  made.contents = read_deb_payload(source, from.filename().string(), package, watch);
  made.sha256 = digest.hex();
  made.is_written = output.keep();
  made.size = output.size();
  return made;
}

}  // namespace topsctl
