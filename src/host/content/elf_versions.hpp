// The versions that an ELF file needs and defines.
#pragma once

#include <cstdint>
#include <string_view>

#include "host/content/elf_image.hpp"
#include "host/content/elf_names.hpp"
#include "topsctl/model/elf.hpp"

namespace topsctl {

// Fills `version_needs`, `glibc`, `glibcxx` and `cxxabi` from the chain at an address. The chain
// ends as for the loader.
void read_version_needs(const ElfImage& image, ElfNames& names, std::uint64_t address,
                        ElfFacts& facts);

// Fills `defined_versions`.
void read_version_definitions(const ElfImage& image, ElfNames& names, std::uint64_t address,
                              ElfFacts& facts);

// Whether a dotted number is greater than another: "2.31" > "2.9". Empty is the least.
bool is_later_version(std::string_view version, std::string_view than);

}  // namespace topsctl
