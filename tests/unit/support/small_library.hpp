// The smallest library that exports a symbol, made byte by byte.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>

namespace topsctl {

// An ELF-64 file whose one exported symbol is ecclGetVersion.
inline std::string small_library() {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = EM_X86_64;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 2;
  const std::string names("\0ecclGetVersion\0", 16);
  Elf64_Shdr symbols{};
  symbols.sh_type = SHT_DYNSYM;
  symbols.sh_offset = sizeof header + 2 * sizeof(Elf64_Shdr);
  symbols.sh_size = 2 * sizeof(Elf64_Sym);
  symbols.sh_link = 1;
  Elf64_Shdr strings{};
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = symbols.sh_offset + symbols.sh_size;
  strings.sh_size = names.size();
  Elf64_Sym symbol[2]{};
  symbol[1].st_name = 1;
  symbol[1].st_shndx = 1;
  const auto bytes = [](const auto& record) {
    return std::string(reinterpret_cast<const char*>(&record), sizeof record);
  };
  return bytes(header) + bytes(symbols) + bytes(strings) + bytes(symbol) + names;
}

}  // namespace topsctl
