// The headers and tables of an ELF file (System V gABI) in host byte order, for both classes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The bytes of a file; some may be unavailable.
class ElfBytes {
 public:
  virtual ~ElfBytes() = default;
  virtual std::uint64_t size() const = 0;  // of the whole file
  // Up to `most` bytes from `offset` on: fewer, or none, at the end of the file and where they are
  // unavailable. Valid as long as `room` is unchanged.
  virtual std::string_view at(std::uint64_t offset, std::uint64_t most, std::string& room) = 0;
};

struct ElfStretch {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

struct ElfSegment {
  std::uint32_t type = 0;
  std::uint64_t address = 0;
  ElfStretch in_file;
};

struct ElfSection {
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  ElfStretch in_file;
};

struct ElfDynamicEntry {
  std::int64_t tag = 0;
  std::uint64_t value = 0;
};

struct ElfSymbol {
  std::uint32_t name = 0;
  bool is_exported = false;  // defined here, and not local
};

class ElfImage {
 public:
  // Reads the header and the program headers. Throws Error{bad_package} if they are damaged, or if
  // the section headers are not within the file.
  explicit ElfImage(ElfBytes& bytes);

  ElfBytes& bytes() const { return bytes_; }
  unsigned machine() const { return machine_; }
  unsigned type() const { return type_; }
  bool is_64() const { return is_64_; }
  // Whether all program headers were at hand.
  bool has_segments() const { return has_segments_; }
  const std::vector<ElfSegment>& segments() const { return segments_; }
  ElfStretch section_table() const { return section_table_; }
  // The available ones.
  std::vector<ElfSection> sections() const;

  // The file range that is loaded at an address, to the end of its segment's part of the file.
  std::optional<ElfStretch> loaded_at(std::uint64_t address) const;
  bool lies_within(ElfStretch stretch) const;

  std::size_t dynamic_entry_size() const;
  std::size_t symbol_size() const;
  // Parses a record of this size.
  ElfDynamicEntry dynamic_entry(std::string_view record) const;
  ElfSymbol symbol(std::string_view record) const;
  // Numbers of a record in host byte order; the record must contain them.
  std::uint16_t half(std::string_view record, std::size_t at) const;
  std::uint32_t word(std::string_view record, std::size_t at) const;

 private:
  template <class Class>
  void read_headers();
  template <class Class>
  void read_segments(std::uint64_t offset, unsigned count);
  template <class Class>
  std::vector<ElfSection> read_sections() const;
  template <class Integer>
  Integer number(Integer value) const;

  ElfBytes& bytes_;
  bool is_64_ = true;
  bool is_swapped_ = false;
  bool has_segments_ = true;
  unsigned machine_ = 0;
  unsigned type_ = 0;
  std::vector<ElfSegment> segments_;
  ElfStretch section_table_;
};

// Error{bad_package}: "an ELF file <what>".
[[noreturn]] void fail_elf(std::string_view what);

}  // namespace topsctl
