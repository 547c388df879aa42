// Which entries of a deb become instructions: loaded, run, or read by root's own programs.
#include <algorithm>
#include <array>

#include "topsctl/engine/inspection/package_findings.hpp"

namespace topsctl {

namespace {

template <typename Names>
bool ends_with_one(std::string_view text, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return text.ends_with(name); });
}

template <typename Names>
bool starts_with_one(std::string_view text, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return text.starts_with(name); });
}

bool is_library(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.ends_with(".so") || name.find(".so.") != std::string::npos;
}

// Also a script, and what another one reads.
bool is_program(const PayloadEntry& entry) {
  constexpr std::uint32_t may_be_run = 0111;
  constexpr std::array<std::string_view, 8> names = {".py",  ".pyc", ".pth", ".egg",
                                                     ".zip", ".sh",  ".csh", ".pl"};
  return (entry.type == PayloadEntry::Type::file && (entry.mode & may_be_run) != 0) ||
         ends_with_one(entry.path, names);
}

// Directories that programs or libraries are looked up in, also if they are empty.
bool is_searched(const PayloadEntry& entry) {
  constexpr std::array<std::string_view, 6> names = {"/bin",   "/sbin",    "/lib",
                                                     "/lib64", "/libexec", ".d"};
  const bool is_folder =
      entry.type == PayloadEntry::Type::directory || entry.type == PayloadEntry::Type::symlink;
  const std::string_view above = std::string_view(entry.path).substr(0, entry.path.rfind('/'));
  return (is_folder && ends_with_one(entry.path, names)) ||
         (entry.type == PayloadEntry::Type::symlink && ends_with_one(above, names));
}

// Root's alone in every package of Debian (policy 10.9; FHS 3.0: data that change are in /var): the
// programs of root obey too much of it to be listed.
bool is_of_the_system(const PayloadEntry& entry) {
  constexpr std::array<std::string_view, 6> folders = {"/etc/", "/usr/",  "/lib",
                                                       "/bin/", "/sbin/", "/boot/"};
  constexpr std::string_view shared = "/usr/share/";
  // Links that lead to data of services are usual.
  const bool may_be_data =
      entry.type == PayloadEntry::Type::symlink && entry.path.starts_with(shared);
  return starts_with_one(entry.path, folders) && !may_be_data;
}

}  // namespace

bool leads_to_others(const PayloadEntry& entry) {
  constexpr std::array<std::string_view, 4> folders = {"/tmp/", "/var/tmp/", "/dev/shm/", "/home/"};
  return entry.type == PayloadEntry::Type::symlink &&
         starts_with_one(entry.link_target + "/", folders);
}

std::set<std::string> loaded_files(const Package& deb, const Contents* contents) {
  std::set<std::string> elf;
  if (contents != nullptr) {
    for (const ElfFile& file : contents->elf_files) elf.insert(file.path);
  }
  const auto is_loaded = [&](const std::string& path) {
    return is_library(path) || elf.contains(path);
  };
  std::set<std::string> loaded;
  for (const PayloadEntry& entry : *deb.files) {
    const bool is_folder = entry.type == PayloadEntry::Type::directory;
    const bool is_hard_link = entry.type == PayloadEntry::Type::hardlink;
    if ((!is_folder && (is_loaded(entry.path) || is_program(entry) ||
                        (is_hard_link && is_loaded(entry.link_target)))) ||
        is_searched(entry) || is_of_the_system(entry))
      loaded.insert(entry.path);
  }
  return loaded;
}

}  // namespace topsctl
