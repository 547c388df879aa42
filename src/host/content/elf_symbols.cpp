// The number of dynamic symbols, and those that a file exports.
#include "host/content/elf_symbols.hpp"

#include <elf.h>

#include <algorithm>

namespace topsctl {

namespace {

constexpr std::uint64_t most_symbols = 5'000'000;
constexpr std::uint64_t records_at_once = 4096;
constexpr std::string_view python_entry = "PyInit_";
constexpr std::string_view version_ending = "GetVersion";
constexpr std::size_t most_version_functions = 64;

// Numbers of four bytes from a stretch, in order, read some at a time.
class Words {
 public:
  Words(const ElfImage& image, ElfStretch stretch) : image_(image), rest_(stretch) {}

  // Nothing at the end, and if the bytes are unavailable.
  std::optional<std::uint32_t> next() {
    if (view_.size() < sizeof(std::uint32_t)) {
      view_ = image_.bytes().at(
          rest_.offset, std::min(rest_.size, records_at_once * sizeof(std::uint32_t)), room_);
      if (view_.size() < sizeof(std::uint32_t)) return std::nullopt;
      view_ = view_.substr(0, view_.size() / sizeof(std::uint32_t) * sizeof(std::uint32_t));
      rest_.offset += view_.size();
      rest_.size -= view_.size();
    }
    const std::uint32_t word = image_.word(view_, 0);
    view_.remove_prefix(sizeof(std::uint32_t));
    return word;
  }

 private:
  const ElfImage& image_;
  ElfStretch rest_;
  std::string room_;
  std::string_view view_;
};

std::optional<ElfStretch> tail(ElfStretch stretch, std::uint64_t from) {
  if (from > stretch.size) return std::nullopt;
  return ElfStretch{stretch.offset + from, stretch.size - from};
}

// One more than the last symbol that the table of DT_GNU_HASH leads to: the last chain ends with
// it.
std::optional<std::uint64_t> count_of_gnu_hash(const ElfImage& image, ElfStretch table) {
  Words header(image, table);
  const auto buckets = header.next();
  const auto first = header.next();
  const auto filters = header.next();
  if (!buckets || !first || !filters) return std::nullopt;
  const std::uint64_t filter_size = image.is_64() ? 8 : 4;
  const auto bucket_place = tail(table, 16 + *filters * filter_size);
  if (!bucket_place || *buckets > most_symbols) return std::nullopt;
  Words bucket(image, *bucket_place);
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < *buckets; ++i) {
    const auto symbol = bucket.next();
    if (!symbol) return std::nullopt;
    last = std::max(last, *symbol);
  }
  if (last < *first) return *first;
  const auto chain_place = tail(*bucket_place, (std::uint64_t{*buckets} + last - *first) * 4);
  if (!chain_place) return std::nullopt;
  Words chain(image, *chain_place);
  for (std::uint64_t symbol = last; symbol < most_symbols; ++symbol) {
    const auto hash = chain.next();
    if (!hash) return std::nullopt;
    if ((*hash & 1U) != 0) return symbol + 1;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> count_of_hash(const ElfImage& image, ElfStretch table) {
  // The words of this table have eight bytes on this machine type.
  if (image.machine() == EM_S390 && image.is_64()) return std::nullopt;
  Words header(image, table);
  header.next();
  return header.next();
}

std::optional<std::uint64_t> count_of_section(const ElfImage& image) {
  for (const ElfSection& section : image.sections()) {
    if (section.type == SHT_DYNSYM) return section.in_file.size / image.symbol_size();
  }
  return std::nullopt;
}

std::optional<std::uint64_t> symbol_count(const ElfImage& image, const ElfSymbolTables& tables) {
  std::optional<std::uint64_t> count;
  if (tables.gnu_hash != 0) {
    if (const auto place = image.loaded_at(tables.gnu_hash)) {
      count = count_of_gnu_hash(image, *place);
    }
  }
  if (!count && tables.hash != 0) {
    if (const auto place = image.loaded_at(tables.hash)) count = count_of_hash(image, *place);
  }
  return count ? count : count_of_section(image);
}

}  // namespace

void read_elf_symbols(const ElfImage& image, const ElfNames& names, const ElfSymbolTables& tables,
                      Exports exports, ElfFacts& facts) {
  if (tables.symbols == 0) return;
  if (!names.is_whole()) facts.is_partial = true;
  // Nearly no file has such a name, and then its symbols need not be read.
  if (exports == Exports::skip && !names.mentions(python_entry) && !names.mentions(version_ending))
    return;
  const auto place = image.loaded_at(tables.symbols);
  if (!place) fail_elf("whose symbol table lies outside the file");
  const auto said = symbol_count(image, tables);
  if (!said || *said > most_symbols) facts.is_partial = true;
  const std::uint64_t size = image.symbol_size();
  const std::uint64_t count = std::min(said.value_or(0), most_symbols);
  if (count > place->size / size) fail_elf("whose symbol table lies outside the file");
  // Names share suffixes, but a valid table does not list them many times over.
  std::uint64_t room_for_names = 4 * names.size();
  std::string room;
  for (std::uint64_t at = 0; at < count; at += records_at_once) {
    const std::uint64_t wanted = std::min(records_at_once, count - at) * size;
    const std::string_view symbols = image.bytes().at(place->offset + at * size, wanted, room);
    if (symbols.size() < wanted) facts.is_partial = true;
    for (std::size_t one = 0; symbols.size() - one >= size; one += size) {
      const ElfSymbol symbol = image.symbol(symbols.substr(one, size));
      if (!symbol.is_exported || symbol.name == 0) continue;
      const std::string_view name = names.raw(symbol.name);
      if (name.starts_with(python_entry)) facts.is_python_extension = true;
      if (name.ends_with(version_ending) && facts.version_functions.size() < most_version_functions)
        facts.version_functions.emplace_back(name);
      if (exports == Exports::skip) continue;
      if (name.size() > room_for_names) {
        facts.is_partial = true;
        return;
      }
      room_for_names -= name.size();
      facts.exported.emplace_back(name);
    }
  }
}

}  // namespace topsctl
