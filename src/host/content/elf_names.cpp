// Look-ups in the string table of an ELF file.
#include "host/content/elf_names.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_names = 1ULL << 20U;    // maximum bytes of all names in one file's
                                                     // facts
constexpr std::uint64_t most_table = 256ULL << 20U;  // bytes of a string table

}  // namespace

std::string shown_elf_name(std::string_view name) {
  const bool is_plain =
      std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c < '\x7f'; });
  return is_plain ? std::string(name) : printable(name);
}

ElfNames::ElfNames(const ElfImage& image, std::uint64_t address, std::uint64_t size) : size_(size) {
  const std::optional<ElfStretch> place = image.loaded_at(address);
  if (!place || place->size < size) fail_elf("whose string table lies outside the file");
  table_ = image.bytes().at(place->offset, std::min(size, most_table), room_);
}

std::optional<std::string> ElfNames::at(std::uint64_t offset) {
  if (offset >= size_) fail_elf("with a name outside its string table");
  if (offset >= table_.size()) return std::nullopt;
  const std::string_view rest = table_.substr(offset, longest_elf_name + 1);
  const auto end = rest.find('\0');
  if (end == std::string_view::npos) {
    if (rest.size() <= longest_elf_name && !is_whole()) return std::nullopt;
    fail_elf("with an unterminated name");
  }
  if (handed_out_ + end > most_names) return std::nullopt;
  handed_out_ += end;
  return shown_elf_name(rest.substr(0, end));
}

std::string_view ElfNames::raw(std::uint64_t offset) const {
  if (offset >= table_.size()) return {};
  const std::string_view rest = table_.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace topsctl
