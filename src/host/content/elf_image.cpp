// Bounds-checked reading of ELF headers, program headers, section headers and table records.
#include "host/content/elf_image.hpp"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_sections = 65536;

struct Elf32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Section = Elf32_Shdr;
};

struct Elf64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Section = Elf64_Shdr;
};

// A record at the beginning of `bytes`, which must hold it.
template <class Record>
Record record(std::string_view bytes) {
  Record record;
  std::memcpy(&record, bytes.data(), sizeof record);
  return record;
}

bool is_cut_short(ElfStretch stretch, std::uint64_t file) {
  return stretch.offset > file || stretch.size > file - stretch.offset;
}

}  // namespace

void fail_elf(std::string_view what) {
  throw Error(ErrorCode::bad_package, format("an ELF file {}", what),
              "get the file again from the vendor");
}

template <class Integer>
Integer ElfImage::number(Integer value) const {
  if (!is_swapped_) return value;
  std::make_unsigned_t<Integer> from = static_cast<std::make_unsigned_t<Integer>>(value);
  std::make_unsigned_t<Integer> to = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    to = static_cast<std::make_unsigned_t<Integer>>(to << 8U | (from & 0xffU));
    from = static_cast<std::make_unsigned_t<Integer>>(from >> 8U);
  }
  return static_cast<Integer>(to);
}

ElfImage::ElfImage(ElfBytes& bytes) : bytes_(bytes) {
  std::string room;
  const std::string_view ident = bytes.at(0, EI_NIDENT, room);
  if (!ident.starts_with(ELFMAG)) {
    throw Error(ErrorCode::bad_package, "not an ELF file", "get the file again from the vendor");
  }
  if (ident.size() < EI_NIDENT) {
    throw Error(ErrorCode::bad_package, "a truncated ELF header",
                "get the file again from the vendor");
  }
  const char size = ident[EI_CLASS];
  const char order = ident[EI_DATA];
  if (size != ELFCLASS32 && size != ELFCLASS64) fail_elf("of unknown class");
  if (order != ELFDATA2LSB && order != ELFDATA2MSB) fail_elf("of unknown byte order");
  is_64_ = size == ELFCLASS64;
  is_swapped_ = (order == ELFDATA2LSB) != (std::endian::native == std::endian::little);
  is_64_ ? read_headers<Elf64>() : read_headers<Elf32>();
}

template <class Class>
void ElfImage::read_headers() {
  std::string room;
  const std::string_view view = bytes_.at(0, sizeof(typename Class::Header), room);
  if (view.size() < sizeof(typename Class::Header)) {
    throw Error(ErrorCode::bad_package, "a truncated ELF header",
                "get the file again from the vendor");
  }
  const auto header = record<typename Class::Header>(view);
  machine_ = number(header.e_machine);
  type_ = number(header.e_type);
  const unsigned segments = number(header.e_phnum);
  if (segments > 0 && number(header.e_phentsize) != sizeof(typename Class::Segment)) {
    fail_elf("with damaged program headers");
  }
  section_table_.offset = number(header.e_shoff);
  if (section_table_.offset > 0) {
    const unsigned size = number(header.e_shentsize);
    std::uint64_t count = number(header.e_shnum);
    if (count > 0 && size != sizeof(typename Class::Section)) {
      fail_elf("with damaged section headers");
    }
    if (count == 0) {
      // A number that is too large for its field is stored in the first section.
      const std::string_view first =
          bytes_.at(section_table_.offset, sizeof(typename Class::Section), room);
      if (first.size() == sizeof(typename Class::Section)) {
        count = number(record<typename Class::Section>(first).sh_size);
      }
      if (count > bytes_.size()) fail_elf("that is truncated");
    }
    section_table_.size = count * sizeof(typename Class::Section);
    if (!lies_within(section_table_)) fail_elf("that is truncated");
  }
  // A number that is too large is stored in the first section; only core files have so many.
  if (segments == PN_XNUM) {
    has_segments_ = false;
  } else if (segments > 0) {
    read_segments<Class>(number(header.e_phoff), segments);
  }
}

template <class Class>
void ElfImage::read_segments(std::uint64_t offset, unsigned count) {
  const std::uint64_t size = std::uint64_t{count} * sizeof(typename Class::Segment);
  if (!lies_within({offset, size})) fail_elf("that is truncated");
  std::string room;
  const std::string_view table = bytes_.at(offset, size, room);
  has_segments_ = table.size() == size;
  if (!has_segments_) return;
  segments_.reserve(count);
  for (std::size_t at = 0; at < size; at += sizeof(typename Class::Segment)) {
    const auto segment = record<typename Class::Segment>(table.substr(at));
    segments_.push_back({number(segment.p_type),
                         number(segment.p_vaddr),
                         {number(segment.p_offset), number(segment.p_filesz)}});
  }
}

std::vector<ElfSection> ElfImage::sections() const {
  return is_64_ ? read_sections<Elf64>() : read_sections<Elf32>();
}

template <class Class>
std::vector<ElfSection> ElfImage::read_sections() const {
  using Section = typename Class::Section;
  std::vector<ElfSection> sections;
  std::string room;
  const std::string_view table = bytes_.at(
      section_table_.offset, std::min(section_table_.size, most_sections * sizeof(Section)), room);
  for (std::size_t at = 0; table.size() - at >= sizeof(Section); at += sizeof(Section)) {
    const auto section = record<Section>(table.substr(at));
    sections.push_back({number(section.sh_type),
                        number(section.sh_flags),
                        {number(section.sh_offset), number(section.sh_size)}});
  }
  return sections;
}

std::optional<ElfStretch> ElfImage::loaded_at(std::uint64_t address) const {
  for (const ElfSegment& segment : segments_) {
    if (segment.type != PT_LOAD || address < segment.address) continue;
    const std::uint64_t into = address - segment.address;
    if (into >= segment.in_file.size || !lies_within(segment.in_file)) continue;
    return ElfStretch{segment.in_file.offset + into, segment.in_file.size - into};
  }
  return std::nullopt;
}

bool ElfImage::lies_within(ElfStretch stretch) const {
  return !is_cut_short(stretch, bytes_.size());
}

std::size_t ElfImage::dynamic_entry_size() const {
  return is_64_ ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);
}

std::size_t ElfImage::symbol_size() const {
  return is_64_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

ElfDynamicEntry ElfImage::dynamic_entry(std::string_view bytes) const {
  const auto entry = [&]<class Dynamic>(const Dynamic& dynamic) -> ElfDynamicEntry {
    return {number(dynamic.d_tag), number(dynamic.d_un.d_val)};
  };
  return is_64_ ? entry(record<Elf64_Dyn>(bytes)) : entry(record<Elf32_Dyn>(bytes));
}

ElfSymbol ElfImage::symbol(std::string_view bytes) const {
  const auto entry = [&]<class Symbol>(const Symbol& symbol) -> ElfSymbol {
    return {number(symbol.st_name),
            number(symbol.st_shndx) != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL};
  };
  return is_64_ ? entry(record<Elf64_Sym>(bytes)) : entry(record<Elf32_Sym>(bytes));
}

std::uint16_t ElfImage::half(std::string_view bytes, std::size_t at) const {
  return number(record<std::uint16_t>(bytes.substr(at, sizeof(std::uint16_t))));
}

std::uint32_t ElfImage::word(std::string_view bytes, std::size_t at) const {
  return number(record<std::uint32_t>(bytes.substr(at, sizeof(std::uint32_t))));
}

}  // namespace topsctl
