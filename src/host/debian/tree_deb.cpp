// Reads a tar and writes a deb, its archives by libarchive.
#include "topsctl/host/debian/tree_deb.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <vector>

#include "host/debian/ar_member.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompress.hpp"
#include "topsctl/host/archive/tar.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr unsigned tree_file_mode = 0644;
constexpr unsigned tree_program_mode = 0755;
constexpr unsigned executable_bits = 0111;
constexpr std::size_t telling_start = 18;  // bytes of a compression's magic
constexpr std::size_t copied_at_once = std::size_t{1} << 20U;
constexpr std::uint64_t most_tree_bytes = 64ULL << 30U;
constexpr std::size_t most_tree_entries = 1'000'000;
constexpr std::uint64_t kib = 1024;
// Directories that may be at the top of a tree without being the archive's own top directory.
constexpr std::array<std::string_view, 6> usual_folders = {"lib",   "lib64", "include",
                                                           "share", "bin",   "etc"};

[[noreturn]] void refuse_tree(const std::string& archive, const std::string& why) {
  throw Error(ErrorCode::bad_package, format("cannot read {}: {}", in_quotes(archive), why),
              "get a new copy of the archive, or create it anew");
}

// A tar of GNU's form in a file without a name.
class TarFile {
 public:
  explicit TarFile(std::string subject)
      : subject_(std::move(subject)),
        file_(open_nameless_file()),
        writer_(::archive_write_new(), &::archive_write_free) {
    require(writer_ != nullptr);
    require(::archive_write_set_format_gnutar(writer_.get()) == ARCHIVE_OK);
    require(::archive_write_add_filter_none(writer_.get()) == ARCHIVE_OK);
    require(::archive_write_open_fd(writer_.get(), file_.get()) == ARCHIVE_OK);
  }

  void begin(const std::string& path, unsigned type, unsigned mode, std::uint64_t size,
             std::int64_t mtime, const std::string& link = {}) {
    const std::unique_ptr<archive_entry, decltype(&::archive_entry_free)> entry(
        ::archive_entry_new(), &::archive_entry_free);
    require(entry != nullptr);
    ::archive_entry_set_pathname(entry.get(), path.c_str());
    ::archive_entry_set_filetype(entry.get(), type);
    ::archive_entry_set_perm(entry.get(), mode);
    ::archive_entry_set_size(entry.get(), static_cast<std::int64_t>(size));
    ::archive_entry_set_mtime(entry.get(), mtime, 0);
    ::archive_entry_set_uid(entry.get(), 0);
    ::archive_entry_set_gid(entry.get(), 0);
    ::archive_entry_set_uname(entry.get(), "root");
    ::archive_entry_set_gname(entry.get(), "root");
    if (type == AE_IFLNK) ::archive_entry_set_symlink(entry.get(), link.c_str());
    if (type == 0) ::archive_entry_set_hardlink(entry.get(), link.c_str());
    require(::archive_write_header(writer_.get(), entry.get()) == ARCHIVE_OK);
  }

  void data(std::string_view bytes) {
    require(::archive_write_data(writer_.get(), bytes.data(), bytes.size()) ==
            static_cast<la_ssize_t>(bytes.size()));
  }

  const Descriptor& finish() {
    require(::archive_write_close(writer_.get()) == ARCHIVE_OK);
    return file_;
  }

 private:
  void require(bool is_well) const {
    if (is_well) return;
    const char* why = writer_ == nullptr ? nullptr : ::archive_error_string(writer_.get());
    throw Error(ErrorCode::host_unfit,
                format("cannot build a package from {}: {}", in_quotes(subject_),
                       why == nullptr ? "out of memory" : why),
                "free some space in the directory for temporary files: TMPDIR");
  }

  std::string subject_;
  Descriptor file_;
  std::unique_ptr<::archive, decltype(&::archive_write_free)> writer_;
};

class TreePacker {
 public:
  TreePacker(const fs::path& archive, const TreeDeb& as)
      : name_(archive.filename().string()), as_(as), data_(name_) {
    std::string folder = ".";
    for (const std::string& part : split(as.prefix, '/')) {
      if (part.empty()) continue;
      folder += concat("/", part);
      data_.begin(folder, AE_IFDIR, tree_program_mode, 0, 0);
    }
    below_ = concat(folder, "/");
    auto peeked = std::make_unique<PeekedSource>(file_source(archive));
    const std::string compression(compression_of(peeked->peek(telling_start)));
    const auto plain = decompressed(std::move(peeked), compression, {}, name_);
    TarReader reader(*plain, name_);
    while (const auto entry = reader.next()) take(*entry, reader);
    if (files_ == 0) refuse_tree(name_, "it contains no file");
  }

  void write(const fs::path& to) {
    const Descriptor out = open_new_output(to);
    if (!out.is_open()) throw system_error(errno, "write", to.string());
    write_all(out, ar_magic, to);
    constexpr std::string_view version = "2.0\n";
    write_all(out, concat(ar_header("debian-binary", version.size()), version), to);
    TarFile control(name_);
    add_text(control, "control", control_text());
    add_text(control, "md5sums", md5sums_);
    add_member(out, "control.tar", control.finish(), to);
    add_member(out, "data.tar", data_.finish(), to);
  }

 private:
  // The path in the tree; nothing for the top directory.
  std::optional<std::string> place_of(const std::string& path) {
    if (path_escapes(path)) refuse_tree(name_, format("{} points outside it", in_quotes(path)));
    if (has_harmful_character(path))
      refuse_tree(name_, format("{} has control characters in its name", in_quotes(path)));
    const std::string top = path.substr(0, path.find('/'));
    if (!top_) {
      const bool is_usual =
          std::find(usual_folders.begin(), usual_folders.end(), top) != usual_folders.end();
      top_ = is_usual ? std::string() : top;
    }
    if (top_->empty()) return path;
    if (top != *top_)
      refuse_tree(name_, format("it has two top-level entries: {} and {}", in_quotes(*top_),
                                in_quotes(top)));
    if (path.size() == top.size()) return std::nullopt;
    return path.substr(top.size() + 1);
  }

  void take(const TarEntry& entry, TarReader& reader) {
    if (++entries_ > most_tree_entries) refuse_tree(name_, "it has more than a million entries");
    if (entry.path.empty() || entry.path == ".") return;
    require_shallow(entry.path, name_);
    const auto place = place_of(entry.path);
    if (!place) return;
    const std::string path = below_ + *place;
    switch (entry.type) {
      case PayloadEntry::Type::directory:
        return data_.begin(path, AE_IFDIR, tree_program_mode, 0, entry.mtime);
      case PayloadEntry::Type::symlink:
        require_inside(*place, entry.link_target);
        return data_.begin(path, AE_IFLNK, 0777, 0, entry.mtime, entry.link_target);
      case PayloadEntry::Type::hardlink: {
        const auto target = place_of(plain_path(entry.link_target));
        if (!target) refuse_tree(name_, format("{} is a link to a directory", in_quotes(*place)));
        return data_.begin(path, 0, tree_file_mode, 0, entry.mtime, below_ + *target);
      }
      case PayloadEntry::Type::file:
        return take_file(path, entry, reader);
      default:
        refuse_tree(name_, format("{} is not a file, a directory or a link", in_quotes(*place)));
    }
  }

  void take_file(const std::string& path, const TarEntry& entry, TarReader& reader) {
    bytes_ += entry.size;
    if (bytes_ > most_tree_bytes) refuse_tree(name_, "it is larger than 64 GiB");
    const bool is_program = (entry.mode & executable_bits) != 0;
    data_.begin(path, AE_IFREG, is_program ? tree_program_mode : tree_file_mode, entry.size,
                entry.mtime);
    Md5 digest;
    for (std::string_view piece = reader.piece(); !piece.empty(); piece = reader.piece()) {
      digest.update(piece);
      data_.data(piece);
    }
    md5sums_ += concat(digest.hex(), "  ", path.substr(2), "\n");
    ++files_;
  }

  void require_inside(const std::string& place, const std::string& target) {
    const fs::path reached = (fs::path(place).parent_path() / target).lexically_normal();
    if (target.empty() || target.front() == '/' || path_escapes(reached.string()) ||
        has_harmful_character(target))
      refuse_tree(name_, format("{} is a link that points outside it", in_quotes(place)));
  }

  std::string control_text() const {
    return concat("Package: ", as_.package, "\nVersion: ", as_.version,
                  "\nArchitecture: amd64\nMaintainer: nobody <nobody@localhost>\nInstalled-Size: ",
                  bytes_ / kib, "\nSection: misc\nPriority: optional\nDescription: ", as_.package,
                  " below ", as_.prefix, "\n Packed by topsctl from ", printable(as_.origin),
                  ".\n");
  }

  static void add_text(TarFile& tar, const std::string& name, const std::string& text) {
    tar.begin(concat("./", name), AE_IFREG, tree_file_mode, text.size(), 0);
    tar.data(text);
  }

  static void add_member(const Descriptor& out, const char* member, const Descriptor& from,
                         const fs::path& to) {
    const off_t end = ::lseek(from.get(), 0, SEEK_END);
    if (end < 0) throw system_error(errno, "read", member);
    const auto size = static_cast<std::uint64_t>(end);
    if (size > largest_ar_member)
      refuse_tree(to.filename().string(), "it is larger than a deb may be");
    write_all(out, ar_header(member, size), to);
    std::vector<char> piece(copied_at_once);
    for (off_t at = 0; at < end;) {
      const ssize_t got = ::pread(from.get(), piece.data(), piece.size(), at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw system_error(errno, "read", member);
      write_all(out, {piece.data(), static_cast<std::size_t>(got)}, to);
      at += got;
    }
    if (size % 2 != 0) write_all(out, "\n", to);
  }

  std::string name_;
  const TreeDeb& as_;
  TarFile data_;
  std::string below_;               // "./opt/vccl/"
  std::optional<std::string> top_;  // the top directory that is removed; empty: none
  std::string md5sums_;
  std::uint64_t bytes_ = 0;
  std::size_t entries_ = 0;
  std::size_t files_ = 0;
};

}  // namespace

void write_tree_deb(const fs::path& archive, const TreeDeb& as, const fs::path& to) {
  TreePacker(archive, as).write(to);
}

}  // namespace topsctl
