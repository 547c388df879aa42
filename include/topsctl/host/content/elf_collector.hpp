// Reading of ELF files from streams.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "topsctl/model/elf.hpp"

namespace topsctl {

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

}  // namespace topsctl
