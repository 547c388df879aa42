// The little of ELF that tells a real library from a stand-in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace topsctl {

struct ElfFacts {
  bool is_elf64_x86_64 =
      false;            // an ELF file of that kind whose section table lies within the file
  std::string problem;  // why not
  std::vector<std::string> exported;  // names of defined dynamic symbols
};

// Reads a file as ELF-64 (System V gABI, x86-64 psABI); never throws for what the file holds.
ElfFacts read_elf(const std::filesystem::path& file);

}  // namespace topsctl
