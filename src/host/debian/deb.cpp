// Reads the members of .deb files: the ar container by its fixed headers.
#include "topsctl/host/debian/deb.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "host/debian/ar_member.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/deb_contents.hpp"
#include "topsctl/host/debian/deb_control.hpp"
#include "topsctl/host/debian/dpkg_refusal.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view old_magic = "0.93";
constexpr std::size_t most_members = 64;

[[noreturn]] void refuse_deb(const std::string& file, const std::string& why,
                             std::string hint = {}) {
  if (hint.empty()) throw unreadable_file(file, why);
  throw Error(ErrorCode::bad_package, format("cannot read {}: {}", in_quotes(file), why), hint);
}

std::uint64_t number(std::string_view digits, const std::string& file) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
    refuse_deb(file, "a member header is damaged");
  }
  return value;
}

struct Member {
  std::string name;
  std::uint64_t size = 0;
};

// ar(5): 60 bytes: name 16, time 12, owner 6, group 6, mode 8, size 10, then "`\n".
Member parse_header(std::string_view header, const std::string& file) {
  if (header.size() != ar_header_size) refuse_deb(file, "the file ends within a member header");
  if (header.substr(58) != "`\n") refuse_deb(file, "a member header is damaged");
  Member member;
  member.name = header.substr(0, 16);
  member.name.erase(member.name.find_last_not_of(' ') + 1);
  if (member.name.ends_with('/')) member.name.pop_back();
  member.size = number(trimmed(header.substr(48, 10)), file);
  return member;
}

bool is_archive(const std::string& member, std::string_view base) {
  return member == base || member.starts_with(concat(base, "."));
}

// Jumps from header to header, which distinguishes a truncated file from a damaged one without
// reading the data in between.
void require_all_members(const FileRange& range, const std::string& file) {
  std::size_t count = 0;
  bool has_control = false;
  bool has_data = false;
  for (std::uint64_t at = ar_magic.size(); at < range.size; ++count) {
    std::array<char, ar_header_size> bytes{};
    const ssize_t got =
        ::pread(range.file, bytes.data(), std::min<std::uint64_t>(bytes.size(), range.size - at),
                static_cast<off_t>(range.offset + at));
    const Member member =
        parse_header({bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))}, file);
    const std::uint64_t from = at + ar_header_size;
    if (member.size > range.size - from) {
      refuse_deb(file, format("truncated: member {} needs {} bytes, the file has {}",
                              in_quotes(member.name), from + member.size, range.size));
    }
    if (count == 0 && member.name != "debian-binary") {
      refuse_deb(file, "not a Debian package: no member 'debian-binary'",
                 "check that this is a .deb file");
    }
    if (count >= most_members) refuse_deb(file, "too many members");
    has_control = has_control || is_archive(member.name, "control.tar");
    has_data = has_data || is_archive(member.name, "data.tar");
    at = from + member.size + member.size % 2;
  }
  if (count == 0) refuse_deb(file, "not a Debian package: no member 'debian-binary'");
  if (!has_control) refuse_deb(file, "not a Debian package: no member 'control.tar'");
  if (!has_data) refuse_deb(file, "not a Debian package: no member 'data.tar'");
}

// By the suffix, as dpkg does.
std::string compression_named(const std::string& member, const std::string& file) {
  const std::string suffix = member.substr(std::min(member.find(".tar") + 4, member.size()));
  for (const auto& [known, compression] :
       {std::pair{"", "none"}, std::pair{".gz", "gzip"}, std::pair{".xz", "xz"},
        std::pair{".zst", "zstd"}, std::pair{".bz2", "bzip2"}, std::pair{".lzma", "lzma"}}) {
    if (suffix == known) return compression;
  }
  throw DpkgRefusal(file, format("member {} has an unknown compression", in_quotes(member)));
}

// deb(5): "2.", the minor number, a line end; more lines may follow.
bool is_format_2(std::string_view text) {
  text = text.substr(0, std::min(text.find('\0'), text.size()));
  const auto end = text.find('\n');
  const auto dot = text.find('.');
  if (end == std::string_view::npos || dot == std::string_view::npos || dot > end) return false;
  std::string_view major = text.substr(0, dot);
  major.remove_prefix(std::min(major.find_first_not_of('0'), major.size()));
  const std::string_view minor = text.substr(dot + 1, end - dot - 1);
  return major == "2" && is_digits(minor) && minor.size() < 10;
}

// Tars may be compressed in more ways than dpkg ever knew.
bool is_of_debs(std::string_view compression) {
  return compression != "lz4" && compression != "compress" && compression != "lzo";
}

class DebReading {
 public:
  DebReading(Source& source, const std::string& file, const DecodeLimits& limits, Package& package,
             const DebMembers& members)
      : source_(source),
        reader_(source),
        file_(file),
        limits_(limits),
        facts_(package.deb.emplace()),
        members_(members) {}

  void read() {
    const std::string magic = reader_.read(ar_magic.size());
    if (magic.starts_with(old_magic)) {
      read_old(magic);
    } else if (magic == ar_magic) {
      if (const auto range = source_.range()) require_all_members(*range, file_);
      read_ar();
    } else {
      refuse_deb(file_, "not a Debian package: damaged from the first bytes, or another file type");
    }
  }

 private:
  // deb(5): debian-binary, control.tar, data.tar; ignores members that begin with '_' and those
  // after data.tar.
  void read_ar() {
    bool has_control = false;
    bool has_data = false;
    for (std::size_t count = 0;; ++count) {
      if (count > most_members) refuse_deb(file_, "too many members");
      const std::string header = reader_.read(ar_header_size);
      if (header.empty()) break;
      const Member member = parse_header(header, file_);
      auto bytes = next_bytes(reader_, member.size, file_);
      if (count == 0) {
        take_version(member, *bytes);
      } else if (is_archive(member.name, "control.tar") && !has_control) {
        has_control = true;
        require_known_to_control(member.name);
        decode(std::move(bytes), compression_named(member.name, file_), members_.control);
        if (!members_.data) return;
      } else if (is_archive(member.name, "data.tar") && has_control && !has_data) {
        has_data = true;
        facts_.compression = compression_named(member.name, file_);
        decode(std::move(bytes), facts_.compression, members_.data);
      } else if (!has_data && !member.name.starts_with('_')) {
        throw DpkgRefusal(file_,
                          format("unexpected member {} at this position", in_quotes(member.name)));
      } else {
        if (members_.other) members_.other();
        drain(*bytes);
      }
      if (member.size % 2 != 0) reader_.read(1);
    }
    if (!has_control) refuse_deb(file_, "not a Debian package: no member 'control.tar'");
    if (!has_data) refuse_deb(file_, "not a Debian package: no member 'data.tar'");
  }

  void take_version(const Member& member, Source& bytes) {
    if (member.name != "debian-binary") {
      refuse_deb(file_, "not a Debian package: no member 'debian-binary'",
                 "check that this is a .deb file");
    }
    const std::string text = whole_text(bytes, 1024, file_);
    facts_.format = printable(text.substr(0, text.find('\n')));
    if (!is_format_2(text)) {
      throw DpkgRefusal(file_, format("its format {} is unknown", in_quotes(facts_.format)));
    }
  }

  // dpkg reads the control archive only with xz, gzip, zstd or uncompressed.
  void require_known_to_control(const std::string& member) const {
    const std::string compression = compression_named(member, file_);
    if (compression != "bzip2" && compression != "lzma") return;
    throw DpkgRefusal(file_, format("member {} uses a compression that is allowed for data only",
                                    in_quotes(member)));
  }

  // deb-old(5): the version, the length of the control archive, then two compressed tars.
  void read_old(const std::string& magic) {
    const std::string version = magic + line(magic.ends_with('\n') ? 0 : 32);
    facts_.format = printable(trimmed(version));
    const std::uint64_t length = number(trimmed(line(32)), file_);
    facts_.compression = decode_any(next_bytes(reader_, length, file_), members_.control);
    if (!members_.data) return;
    facts_.compression = decode_any(remaining_bytes(reader_), members_.data);
  }

  // The old format has no suffix to go by, and dpkg-deb of today does not keep to gzip.
  std::string decode_any(std::unique_ptr<Source> bytes, const std::function<void(Source&)>& take) {
    auto peeked = std::make_unique<PeekedSource>(std::move(bytes));
    std::string compression(compression_of(peeked->peek(18)));
    if (!is_of_debs(compression)) compression = "none";
    decode(std::move(peeked), compression, take);
    return compression;
  }

  std::string line(std::size_t most) {
    std::string text;
    while (text.size() < most && !text.ends_with('\n')) {
      const std::string next = reader_.read(1);
      if (next.empty()) refuse_deb(file_, "truncated");
      text += next;
    }
    return text;
  }

  void decode(std::unique_ptr<Source> bytes, std::string_view compression,
              const std::function<void(Source&)>& take) {
    const auto tar = decompressed(std::move(bytes), compression, limits_, file_);
    take(*tar);
    drain(*tar);
  }

  Source& source_;
  SourceReader reader_;
  const std::string& file_;
  const DecodeLimits& limits_;
  DebFacts& facts_;
  const DebMembers& members_;
};

}  // namespace

bool looks_like_deb(std::string_view first_bytes) {
  return first_bytes.starts_with(ar_magic) || first_bytes.starts_with("0.939000\n");
}

void read_deb_members(Source& source, const std::string& file_name, const DecodeLimits& limits,
                      Package& package, const DebMembers& members) {
  DebReading(source, file_name, limits, package, members).read();
}

void read_deb_control(const fs::path& file, Package& package) {
  const auto source = file_source(file);
  const std::string name = file.filename().string();
  read_deb_members(*source, name, {}, package,
                   {[&](Source& tar) { read_control_archive(tar, name, package); }, {}});
  package.files.reset();
  package.files_are_claims = false;
}

Contents read_deb_payload(Source& source, const std::string& file_name, Package& package,
                          const DebWatch& watch) {
  Contents contents;
  Package read;
  const auto watched = [&](DebArchive archive, Source& tar, const auto& take) {
    // The compression of the control archive is irrelevant.
    if (watch.archive_begins) {
      watch.archive_begins(archive, archive == DebArchive::data ? read.deb->compression : "");
    }
    ObservedSource seen(tar, watch.archive_bytes);
    take(seen);
    drain(seen);
    if (watch.archive_ends) watch.archive_ends();
  };
  const DebMembers members{[&](Source& tar) {
                             watched(DebArchive::control, tar, [&](Source& seen) {
                               read_control_archive(seen, file_name, read);
                             });
                           },
                           [&](Source& tar) {
                             watched(DebArchive::data, tar, [&](Source& seen) {
                               read_data_archive(seen, file_name, read, contents, Md5sums::ignore);
                             });
                           },
                           watch.other_member};
  DecodeLimits limits;
  limits.threads = usual_threads();
  read_deb_members(source, file_name, limits, read, members);
  drain(source);
  for (const StrangeEntry& entry : contents.strange) {
    if (entry.kind == StrangeEntry::Kind::escapes) {
      throw Error(ErrorCode::bad_package,
                  format("cannot read {}: entry {} points outside the package",
                         in_quotes(file_name), in_quotes(entry.path)),
                  "do not install this file: no valid package contains such a name");
    }
  }
  if (read.name != package.name || read.version != package.version ||
      read.architecture != package.architecture || read.md5sums != package.md5sums) {
    throw Error(ErrorCode::bad_package,
                format("{} changed while it was read", in_quotes(file_name)),
                "make sure that nothing writes to the bundle, and run the same command again");
  }
  package.files = std::move(read.files);
  package.files_are_claims = false;
  package.payload_md5sums = std::move(read.payload_md5sums);
  return contents;
}

Contents read_deb_payload(const fs::path& file, Package& package) {
  const auto source = file_source(file);
  return read_deb_payload(*source, file.filename().string(), package, {});
}

}  // namespace topsctl
