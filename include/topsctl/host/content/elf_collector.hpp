// Reads ELF files from streams.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "topsctl/model/elf.hpp"

namespace topsctl {

// Receives the bytes of a file of any size in order and keeps the parts with its facts: the
// segments in which linkers put them, at most 16 MiB, as they arrive. Misses facts in other places;
// ElfFacts::is_partial reports that. Never throws because of the content.
class ElfCollector {
 public:
  explicit ElfCollector(std::uint64_t size);  // of the whole file, in bytes
  ~ElfCollector();
  ElfCollector(ElfCollector&&) noexcept;
  ElfCollector& operator=(ElfCollector&&) noexcept;

  void take(std::string_view bytes);
  // Call once, after the last byte. A file that ends before its size is truncated.
  ElfFacts facts();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace topsctl
