// Reads .deb files: the ar container by its fixed headers, the tar members through libarchive.
#include "topsctl/host/deb.hpp"

#include <sys/stat.h>

#include <fcntl.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive.hpp"
#include "topsctl/host/descriptor.hpp"
#include "topsctl/host/stanza.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view ar_magic = "!<arch>\n";
constexpr std::uint64_t most_control = 4ULL << 20U;
constexpr std::uint64_t most_md5sums = 64ULL << 20U;

struct Member {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

[[noreturn]] void refuse(const fs::path& file, const std::string& why, std::string hint = {}) {
  if (hint.empty())
    hint = "the file is damaged or cut short: copy it again and compare its size and sha256";
  throw Error(ErrorCode::bad_package,
              concat("cannot read ", in_quotes(file.filename().string()), ": ", why), hint);
}

// ar(5): 60 bytes: name 16, time 12, owner 6, group 6, mode 8, size 10, then "`\n".
std::vector<Member> members_of(const fs::path& file) {
  const Descriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (!input.is_open() || ::fstat(input.get(), &status) != 0) {
    throw system_error(errno, "read", file.string());
  }
  const auto end = static_cast<std::uint64_t>(status.st_size);
  std::array<char, ar_magic.size()> magic{};
  if (::pread(input.get(), magic.data(), magic.size(), 0) != static_cast<ssize_t>(magic.size()) ||
      std::string_view(magic.data(), magic.size()) != ar_magic) {
    refuse(file, "not a Debian package: damaged from the first bytes on, or something else");
  }
  std::vector<Member> members;
  for (std::uint64_t at = ar_magic.size(); at < end;) {
    std::array<char, 60> header{};
    if (::pread(input.get(), header.data(), header.size(), static_cast<off_t>(at)) !=
        static_cast<ssize_t>(header.size())) {
      refuse(file, "the file ends within a member header");
    }
    const std::string_view text(header.data(), header.size());
    if (text.substr(58) != "`\n") refuse(file, "a member header is damaged");
    Member member;
    member.name = trimmed(text.substr(0, 16));
    if (member.name.ends_with('/')) member.name.pop_back();
    const std::string_view digits = trimmed(text.substr(48, 10));
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), member.size);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
      refuse(file, "a member header is damaged");
    }
    member.offset = at + header.size();
    if (member.size > end - member.offset) {
      refuse(file, concat("cut short: member ", in_quotes(member.name), " needs ",
                          member.offset + member.size, " bytes, the file has ", end));
    }
    at = member.offset + member.size + member.size % 2;
    members.push_back(std::move(member));
    if (members.size() > 64) refuse(file, "too many members");
  }
  return members;
}

// deb(5): debian-binary first, then control.tar and data.tar; members that begin with '_' and those
// after data.tar are to be ignored.
Member member_named(const fs::path& file, std::string_view base) {
  const std::vector<Member> members = members_of(file);
  if (members.empty() || members.front().name != "debian-binary") {
    refuse(file, "not a Debian package: no member 'debian-binary'",
           "check that this is a .deb file");
  }
  for (const Member& member : members) {
    if (member.name == base || member.name.starts_with(concat(base, "."))) return member;
  }
  refuse(file, concat("not a Debian package: no member ", in_quotes(base)));
}

std::string required(const Stanza& control, const char* field, const fs::path& file) {
  std::string value = control.value(field);
  if (value.empty()) refuse(file, concat("the control file has no field ", in_quotes(field)));
  return value;
}

// Policy 5.6.7 and 5.6.12: what is allowed in names and versions, so that neither can be mistaken
// for an option or a path.
void refuse_strange_name(const std::string& name, std::string_view allowed, const fs::path& file) {
  const bool plain = std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           allowed.find(c) != std::string_view::npos;
  });
  if (!plain || name.front() == '-' || name.front() == '.') {
    refuse(file, concat("the control file has the strange name or version ", in_quotes(name)));
  }
}

void take_control(const Stanza& control, const fs::path& file, Package& package) {
  package.name = required(control, "Package", file);
  package.version = required(control, "Version", file);
  package.architecture = required(control, "Architecture", file);
  refuse_strange_name(package.name, "+-.", file);
  refuse_strange_name(package.version, "+-.~:", file);
  refuse_strange_name(package.architecture, "-", file);
  for (const char* field : {"Pre-Depends", "Depends"}) {
    for (const std::string& clause : split(control.value(field), ',')) {
      std::string one_line = joined(split(trimmed(clause), '\n'), " ");
      if (!one_line.empty()) package.depends.push_back(printable(one_line));
    }
  }
  for (const char* field : {"Conflicts", "Breaks", "Replaces"}) {
    for (const std::string& clause : split(control.value(field), ',')) {
      // "name (<< 1) [arch]", "name:any"
      const std::string_view name = trimmed(clause);
      const auto end = name.find_first_of(" \t\n(:[");
      if (!name.empty()) package.displaces.emplace_back(name.substr(0, end));
    }
  }
  const std::string kibibytes = control.value("Installed-Size");
  if (is_digits(kibibytes) && kibibytes.size() < 15) {
    package.installed_size = std::stoull(kibibytes) * 1024;
  }
}

}  // namespace

bool looks_like_deb(std::string_view first_bytes) {
  return first_bytes.starts_with(ar_magic);
}

void read_deb_control(const fs::path& file, Package& package) {
  const Member member = member_named(file, "control.tar");
  static_cast<void>(member_named(file, "data.tar"));
  ArchiveReader reader =
      ArchiveReader::tar(file, member.offset, member.size, file.filename().string());
  bool found = false;
  while (const auto entry = reader.next()) {
    if (entry->type != PayloadEntry::Type::file) continue;
    if (entry->path == "control") {
      take_control(parse_stanza(reader.text(most_control)), file, package);
      found = true;
    } else if (entry->path == "md5sums") {
      package.md5sums = reader.text(most_md5sums);
    }
  }
  if (!found) refuse(file, "the control archive has no control file");
}

void read_deb_payload(const fs::path& file, Package& package) {
  const Member member = member_named(file, "data.tar");
  ArchiveReader reader =
      ArchiveReader::tar(file, member.offset, member.size, file.filename().string());
  std::vector<PayloadEntry> files;
  while (const auto entry = reader.next()) {
    if (entry->path.empty()) continue;
    while (!reader.piece().empty()) {
    }
    files.push_back({concat("/", entry->path), entry->type, entry->size});
  }
  package.files = std::move(files);
}

}  // namespace topsctl
