// Bounds-checked reading of ELF-64 dynamic symbols.
#include "topsctl/host/elf.hpp"

#include <elf.h>

#include <cstring>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/host/files.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t largest_file = 2ULL << 30U;

template <class Record>
std::optional<Record> record_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return record;
}

std::string_view range(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.substr(offset, size);
}

std::string text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

void read_symbols(std::string_view bytes, const Elf64_Ehdr& header, const Elf64_Shdr& section,
                  ElfFacts& facts) {
  const auto strings = record_at<Elf64_Shdr>(
      bytes, header.e_shoff + std::uint64_t{section.sh_link} * sizeof(Elf64_Shdr));
  if (!strings) return;
  const std::string_view names = range(bytes, strings->sh_offset, strings->sh_size);
  const std::string_view symbols = range(bytes, section.sh_offset, section.sh_size);
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = record_at<Elf64_Sym>(symbols, at);
    if (symbol && symbol->st_shndx != SHN_UNDEF && symbol->st_name != 0) {
      facts.exported.push_back(text_at(names, symbol->st_name));
    }
  }
}

}  // namespace

ElfFacts read_elf(const std::filesystem::path& file) {
  ElfFacts facts;
  std::string content;
  try {
    content = read_text(file, largest_file);
  } catch (const Error& error) {
    facts.problem = error.message();
    return facts;
  }
  const std::string_view bytes = content;
  const auto header = record_at<Elf64_Ehdr>(bytes, 0);
  if (!bytes.starts_with(ELFMAG)) {
    facts.problem = "no ELF file";
  } else if (!header) {
    facts.problem = "an ELF header cut short";
  } else if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64) {
    facts.problem = "an ELF file for another machine";
  } else if (header->e_shnum == 0 || header->e_shentsize != sizeof(Elf64_Shdr) ||
             range(bytes, header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr))
                 .empty()) {
    facts.problem = "an ELF file without sections";
  }
  if (!facts.problem.empty()) return facts;
  facts.is_elf64_x86_64 = true;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto section =
        record_at<Elf64_Shdr>(bytes, header->e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
    if (section && section->sh_type == SHT_DYNSYM) read_symbols(bytes, *header, *section, facts);
  }
  return facts;
}

}  // namespace topsctl
