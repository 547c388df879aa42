// Reading of ELF files from disk (System V gABI).
#pragma once

#include <filesystem>
#include <string_view>

#include "topsctl/model/elf.hpp"

namespace topsctl {

inline constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";

enum class Exports { skip, list };

// Reads what is needed of a file on disk, never all of it; never throws for what the file holds. A
// file that cannot be read, or is no regular one, has a problem.
ElfFacts read_elf(const std::filesystem::path& file, Exports exports);

}  // namespace topsctl
