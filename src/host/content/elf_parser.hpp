// From the bytes of an ELF file to what it says of itself.
#pragma once

#include "host/content/elf_image.hpp"
#include "host/content/elf_names.hpp"
#include "topsctl/host/content/elf.hpp"
#include "topsctl/model/elf.hpp"

namespace topsctl {

// Facts come from the program headers and the dynamic segment, which is what the loader goes by;
// section headers may be missing.
ElfFacts parse_elf(ElfBytes& bytes, Exports exports);

}  // namespace topsctl
