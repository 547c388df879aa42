// Derives an ELF file's properties from its bytes.
#pragma once

#include "host/content/elf_image.hpp"
#include "host/content/elf_names.hpp"
#include "topsctl/host/content/elf.hpp"
#include "topsctl/model/elf.hpp"

namespace topsctl {

// Facts come from the program headers and the dynamic segment, which the loader uses; section
// headers may be missing.
ElfFacts parse_elf(ElfBytes& bytes, Exports exports);

}  // namespace topsctl
