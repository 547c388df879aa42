// Reading of ELF files from streams and from disk (System V gABI).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "topsctl/model/elf.hpp"

namespace topsctl {

inline constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";

// Takes the bytes of a file of any size in order and keeps the little that tells what it is: the
// segments in which linkers put it, at most 16 MiB, and not before they come. Facts that lie
// elsewhere are missed, and ElfFacts::is_partial says so. Never throws for what the file holds.
class ElfCollector {
 public:
  explicit ElfCollector(std::uint64_t size);  // of the whole file, in bytes
  ~ElfCollector();
  ElfCollector(ElfCollector&&) noexcept;
  ElfCollector& operator=(ElfCollector&&) noexcept;

  void take(std::string_view bytes);
  // Once, after the last byte. A file that ends before its size is cut short.
  ElfFacts facts();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

enum class Exports { skip, list };

// Reads what is needed of a file on disk, never all of it; never throws for what the file holds. A
// file that cannot be read, or is no regular one, has a problem.
ElfFacts read_elf(const std::filesystem::path& file, Exports exports);

}  // namespace topsctl
