// Recognizes packages and archives by their magic numbers.
#include "host/bundle/file_kind.hpp"

#include <algorithm>
#include <array>

#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompress.hpp"
#include "topsctl/host/debian/deb.hpp"

namespace topsctl {

namespace {

// A compressed file may contain anything; without decoding, only its name shows that it is a tar.
bool is_tar_name(const std::string& name) {
  if (name.find(".tar.") != std::string::npos && name.size() - name.rfind(".tar.") <= 10)
    return true;
  constexpr std::array<std::string_view, 6> suffixes = {".tgz",  ".txz",  ".tbz",
                                                        ".tbz2", ".tzst", ".tlz"};
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

bool is_plain_tar(std::string_view bytes) {
  constexpr std::size_t magic_offset = 257;
  return bytes.size() >= magic_offset + 5 && bytes.substr(magic_offset, 5) == "ustar";
}

}  // namespace

std::string_view name(FileKind kind) {
  switch (kind) {
    case FileKind::deb:
      return "deb";
    case FileKind::wheel:
      return "wheel";
    case FileKind::runfile:
      return "runfile";
    case FileKind::tar:
      return "tar";
    case FileKind::zip:
      return "zip";
    case FileKind::other:
      return "other";
  }
  return "other";
}

FileKind kind_of(std::string_view first_bytes, std::string_view file_name) {
  const std::string name = lower_case(file_name);
  if (name.ends_with(".deb") ||
      (looks_like_deb(first_bytes) &&
       (first_bytes.find("debian-binary") == 8 || first_bytes.starts_with("0.939000\n")))) {
    return FileKind::deb;
  }
  if (name.ends_with(".whl")) return FileKind::wheel;
  if (name.ends_with(".run")) return FileKind::runfile;
  if (first_bytes.starts_with("#!") && first_bytes.find("Makeself") != std::string_view::npos) {
    return FileKind::runfile;
  }
  if (name.ends_with(".zip")) return FileKind::zip;
  if (is_plain_tar(first_bytes) || name.ends_with(".tar")) return FileKind::tar;
  if (is_tar_name(name)) return FileKind::tar;
  return FileKind::other;
}

}  // namespace topsctl
