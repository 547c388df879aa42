// From the bytes of an ELF file to what it says of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/content/elf_image.hpp"
#include "topsctl/host/content/elf.hpp"
#include "topsctl/model/elf.hpp"

namespace topsctl {

// Facts come from the program headers and the dynamic segment, which is what the loader goes by;
// section headers may be missing.
ElfFacts parse_elf(ElfBytes& bytes, Exports exports);

// The string table that the dynamic segment refers to.
class ElfNames {
 public:
  // Throws Error{bad_package} unless the table lies within the file.
  ElfNames(const ElfImage& image, std::uint64_t address, std::uint64_t size);

  // A name, made printable. Nothing if it is not at hand or all names before it were too many.
  // Throws Error{bad_package} for one beyond the table, or of more than 4 KiB.
  std::optional<std::string> at(std::uint64_t offset);
  // The bytes at an offset up to the end of the name as far as they are at hand; empty beyond.
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

// Where the dynamic segment says that symbols are; addresses, 0: not said.
struct ElfSymbolTables {
  std::uint64_t symbols = 0;
  std::uint64_t hash = 0;      // DT_HASH
  std::uint64_t gnu_hash = 0;  // DT_GNU_HASH
};

// Fills `is_python_extension` and, if asked for, `exported`.
void read_elf_symbols(const ElfImage& image, const ElfNames& names, const ElfSymbolTables& tables,
                      Exports exports, ElfFacts& facts);

// Fills `version_needs`, `glibc`, `glibcxx` and `cxxabi` from the chain at an address. The chain
// ends where the loader ends it.
void read_version_needs(const ElfImage& image, ElfNames& names, std::uint64_t address,
                        ElfFacts& facts);
// Fills `defined_versions`.
void read_version_definitions(const ElfImage& image, ElfNames& names, std::uint64_t address,
                              ElfFacts& facts);
// Whether a dotted number is greater than another: "2.31" > "2.9". Empty is the least.
bool is_later_version(std::string_view version, std::string_view than);

}  // namespace topsctl
