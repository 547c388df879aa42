// The exported symbols of an ELF file.
#pragma once

#include <cstdint>

#include "host/content/elf_image.hpp"
#include "host/content/elf_names.hpp"
#include "topsctl/host/content/elf.hpp"
#include "topsctl/model/elf.hpp"

namespace topsctl {

// Addresses of the symbol tables in the dynamic segment; 0: missing.
struct ElfSymbolTables {
  std::uint64_t symbols = 0;
  std::uint64_t hash = 0;      // DT_HASH
  std::uint64_t gnu_hash = 0;  // DT_GNU_HASH
};

// Fills `is_python_extension` and, if requested, `exported`.
void read_elf_symbols(const ElfImage& image, const ElfNames& names, const ElfSymbolTables& tables,
                      Exports exports, ElfFacts& facts);

}  // namespace topsctl
