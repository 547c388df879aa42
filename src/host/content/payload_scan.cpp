// Distinguishes ELF files, stub libraries and scripts, and reads the relevant part of each.
#include "topsctl/host/content/payload_scan.hpp"

#include <algorithm>
#include <array>

#include "topsctl/base/text.hpp"
#include "topsctl/host/content/elf.hpp"
#include "topsctl/host/content/settings_scan.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_script = 1ULL << 20U;

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Whether each part of it begins with a digit: "6", "1.2.0", not "1.2.0-gdb.py".
bool is_library_version(std::string_view text) {
  while (true) {
    if (!is_digits(text.substr(0, 1))) return false;
    const auto end = text.find('.');
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

// "libx.so", "libx.so.1.2", "x.cpython-38-x86_64-linux-gnu.so"
bool is_library_name(std::string_view path) {
  constexpr std::string_view so = ".so.";
  const std::string_view name = file_name(path);
  if (name.ends_with(".so")) return true;
  const auto at = name.find(so);
  return name.starts_with("lib") && at != std::string_view::npos &&
         is_library_version(name.substr(at + so.size()));
}

// ld(1): a linker script may replace a library.
bool is_linker_script(std::string_view head) {
  return head.starts_with("/* GNU ld script") || head.find("linker script") != head.npos ||
         head.find("INPUT") != head.npos || head.find("GROUP") != head.npos;
}

}  // namespace

bool is_settings_file(std::string_view path) {
  constexpr std::array<std::string_view, 8> suffixes = {".sh",  ".py",   ".env",  ".conf",
                                                        ".cfg", ".json", ".yaml", ".yml"};
  const std::string_view name = file_name(path);
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

bool link_escapes(std::string_view path, std::string_view target) {
  if (target.starts_with('/')) return false;
  auto depth = static_cast<std::int64_t>(std::count(path.begin(), path.end(), '/'));
  while (!target.empty()) {
    const auto end = target.find('/');
    const std::string_view part = target.substr(0, end);
    target.remove_prefix(end == std::string_view::npos ? target.size() : end + 1);
    if (part.empty() || part == ".") continue;
    depth += part == ".." ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

FileScan::FileScan(std::string_view path, std::uint64_t size, Contents& contents)
    : contents_(contents),
      claimed_size_(size),
      is_library_name_(is_library_name(path)),
      is_script_name_(is_settings_file(path) && size <= most_script) {}

void FileScan::take(std::string_view bytes) {
  size_ += bytes.size();
  if (elf_) {
    elf_->take(bytes);
    return;
  }
  if (is_script_name_ && text_.size() + bytes.size() <= most_script) text_.append(bytes);
  constexpr std::size_t enough = 64;
  if (head_.size() >= enough) return;
  const bool first = head_.size() < elf_magic.size();
  const std::size_t had = head_.size();
  head_.append(bytes.substr(0, enough - had));
  if (first && std::string_view(head_).starts_with(elf_magic)) {
    elf_.emplace(claimed_size_);
    elf_->take(std::string_view(head_).substr(0, had));
    elf_->take(bytes);
  }
}

void FileScan::end(const std::string& shown) {
  if (is_script_name_) scan_settings(text_, contents_.settings);
  if (elf_) {
    contents_.elf_files.push_back({shown, elf_->facts()});
  } else if (is_library_name_ && !is_linker_script(head_)) {
    contents_.not_elf.push_back(printable(concat(shown, " (", counted(size_, "byte"), ")")));
  }
}

}  // namespace topsctl
