// Scans the bytes of each file of a package, for all archive formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/host/content/elf_collector.hpp"
#include "topsctl/model/contents.hpp"

namespace topsctl {

// Whether a symbolic link at `path` (relative to the top of the package) with this target leaves
// the top. Absolute targets do not: they mean the same wherever the package is installed.
bool link_escapes(std::string_view path, std::string_view target);

// Whether a file of that name may set variables: scripts and configurations.
bool is_settings_file(std::string_view path);

// Receives one file's bytes in order and adds the results to `contents`: ELF facts, stub libraries,
// variables that are set.
class FileScan {
 public:
  // `path` is relative to the top of the package; `size` in bytes, as declared.
  FileScan(std::string_view path, std::uint64_t size, Contents& contents);
  void take(std::string_view bytes);
  // `shown` is the path as in PayloadEntry.
  void end(const std::string& shown);

 private:
  Contents& contents_;
  std::uint64_t claimed_size_;
  std::uint64_t size_ = 0;
  bool is_library_name_;
  bool is_script_name_;
  std::string head_;  // the first bytes, until the file type is known
  std::optional<ElfCollector> elf_;
  std::string text_;
};

}  // namespace topsctl
