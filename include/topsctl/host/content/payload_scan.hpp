// What is looked for in the bytes of every file of a package, whatever archive it lies in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/host/content/elf_collector.hpp"
#include "topsctl/model/contents.hpp"

namespace topsctl {

// Whether a symbolic link at `path` (relative to the top of the package) with this target climbs
// above the top. Absolute targets do not: they mean the same wherever the package is installed.
bool link_escapes(std::string_view path, std::string_view target);

// Whether variables may be set in a file of that name: scripts and configurations.
bool is_settings_file(std::string_view path);

// Takes one file's bytes in order and adds what they tell to `contents`: ELF facts, stand-ins for
// libraries, variables that are set.
class FileScan {
 public:
  // `path` is relative to the top of the package; `size` in bytes, as claimed.
  FileScan(std::string_view path, std::uint64_t size, Contents& contents);
  void take(std::string_view bytes);
  // `shown` is the path as PayloadEntry has it.
  void end(const std::string& shown);

 private:
  Contents& contents_;
  std::uint64_t claimed_size_;
  std::uint64_t size_ = 0;
  bool is_library_name_;
  bool is_script_name_;
  std::string head_;  // the first bytes, until it is known what the file is
  std::optional<ElfCollector> elf_;
  std::string text_;
};

}  // namespace topsctl
