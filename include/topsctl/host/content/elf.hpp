// Reads ELF files from disk (System V gABI).
#pragma once

#include <filesystem>
#include <string_view>

#include "topsctl/model/elf.hpp"

namespace topsctl {

inline constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";

enum class Exports { skip, list };

// Reads only the required parts of a file; never throws because of its content. A file that cannot
// be read, or is not regular, has a problem.
ElfFacts read_elf(const std::filesystem::path& file, Exports exports);

}  // namespace topsctl
