// The names of an ELF file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/content/elf_image.hpp"

namespace topsctl {

inline constexpr std::uint64_t longest_elf_name = 4096;  // bytes
// printable(), without its price for the plain names that nearly all are.
std::string shown_elf_name(std::string_view name);

// The string table that the dynamic segment refers to.
class ElfNames {
 public:
  // Throws Error{bad_package} unless the table is within the file.
  ElfNames(const ElfImage& image, std::uint64_t address, std::uint64_t size);

  // A name, made printable. Nothing if it is unavailable or the limit for all names is reached.
  // Throws Error{bad_package} for a name beyond the table, or of more than 4 KiB.
  std::optional<std::string> at(std::uint64_t offset);
  // The available bytes from an offset to the end of the name; empty beyond the table.
  std::string_view raw(std::uint64_t offset) const;
  bool mentions(std::string_view text) const { return table_.find(text) != std::string_view::npos; }
  std::uint64_t size() const { return size_; }  // of the whole table, in bytes
  bool is_whole() const { return table_.size() == size_; }

 private:
  std::string room_;
  std::string_view table_;
  std::uint64_t size_;
  std::uint64_t handed_out_ = 0;
};

}  // namespace topsctl
