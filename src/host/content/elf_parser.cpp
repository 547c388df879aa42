// Parses the dynamic segment and the data that it refers to.
#include "host/content/elf_parser.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "host/content/elf_symbols.hpp"
#include "host/content/elf_versions.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_needed = 4096;
constexpr std::uint64_t most_dynamic = 1ULL << 20U;  // bytes of a dynamic segment

constexpr std::array<std::pair<unsigned, std::string_view>, 7> machines = {{{EM_X86_64, "x86-64"},
                                                                            {EM_AARCH64, "aarch64"},
                                                                            {EM_386, "i386"},
                                                                            {EM_ARM, "arm"},
                                                                            {EM_PPC64, "ppc64"},
                                                                            {EM_S390, "s390"},
                                                                            {EM_RISCV, "riscv"}}};

bool is_known_machine(unsigned machine) {
  return std::any_of(machines.begin(), machines.end(),
                     [&](const auto& known) { return known.first == machine; });
}

std::string machine_name(const ElfImage& image) {
  if (image.machine() == EM_X86_64 && !image.is_64()) return "x32";
  for (const auto& [number, name] : machines) {
    if (number == image.machine()) return std::string(name);
  }
  return format("machine {}", image.machine());
}

std::string type_name(unsigned type) {
  switch (type) {
    case ET_DYN:
      return "shared";
    case ET_EXEC:
      return "executable";
    case ET_REL:
      return "relocatable";
    case ET_CORE:
      return "core";
    default:
      return format("type {}", type);
  }
}

// Whether the file has only debug information, without the code.
bool is_debug_information(const ElfImage& image) {
  const std::vector<ElfSection> sections = image.sections();
  return std::any_of(sections.begin(), sections.end(), [](const ElfSection& section) {
    return section.type == SHT_NOBITS && (section.flags & SHF_EXECINSTR) != 0;
  });
}

// Values of the dynamic segment, before names are resolved.
struct Dynamic {
  std::vector<std::uint64_t> needed;
  std::optional<std::uint64_t> soname;
  std::optional<std::uint64_t> rpath;
  std::optional<std::uint64_t> runpath;
  std::uint64_t strings = 0;
  std::uint64_t strings_size = 0;
  std::uint64_t version_needs = 0;
  std::uint64_t version_definitions = 0;
  std::uint64_t flags_1 = 0;
  ElfSymbolTables symbols;
};

void take_entry(ElfDynamicEntry entry, Dynamic& dynamic, ElfFacts& facts) {
  switch (entry.tag) {
    case DT_NEEDED:
      if (dynamic.needed.size() < most_needed) {
        dynamic.needed.push_back(entry.value);
      } else {
        facts.is_partial = true;
      }
      break;
    case DT_SONAME:
      dynamic.soname = entry.value;
      break;
    case DT_RPATH:
      dynamic.rpath = entry.value;
      break;
    case DT_RUNPATH:
      dynamic.runpath = entry.value;
      break;
    case DT_STRTAB:
      dynamic.strings = entry.value;
      break;
    case DT_STRSZ:
      dynamic.strings_size = entry.value;
      break;
    case DT_VERNEED:
      dynamic.version_needs = entry.value;
      break;
    case DT_VERDEF:
      dynamic.version_definitions = entry.value;
      break;
    case DT_FLAGS_1:
      dynamic.flags_1 = entry.value;
      break;
    case DT_SYMTAB:
      dynamic.symbols.symbols = entry.value;
      break;
    case DT_HASH:
      dynamic.symbols.hash = entry.value;
      break;
    case DT_GNU_HASH:
      dynamic.symbols.gnu_hash = entry.value;
      break;
    default:
      break;
  }
}

Dynamic dynamic_of(const ElfImage& image, ElfStretch stretch, ElfFacts& facts) {
  if (!image.lies_within(stretch)) fail_elf("whose dynamic segment lies outside the file");
  Dynamic dynamic;
  std::string room;
  const std::string_view table =
      image.bytes().at(stretch.offset, std::min(stretch.size, most_dynamic), room);
  const std::size_t size = image.dynamic_entry_size();
  for (std::size_t at = 0; table.size() - at >= size; at += size) {
    const ElfDynamicEntry entry = image.dynamic_entry(table.substr(at, size));
    if (entry.tag == DT_NULL) return dynamic;
    take_entry(entry, dynamic, facts);
  }
  facts.is_partial = facts.is_partial || table.size() < stretch.size;
  return dynamic;
}

void read_names(const Dynamic& dynamic, ElfNames& names, ElfFacts& facts) {
  const auto name = [&](std::uint64_t offset) {
    std::optional<std::string> name = names.at(offset);
    facts.is_partial = facts.is_partial || !name;
    return name;
  };
  for (const std::uint64_t offset : dynamic.needed) {
    if (auto needed = name(offset)) facts.needed.push_back(std::move(*needed));
  }
  if (dynamic.soname) facts.soname = name(*dynamic.soname).value_or("");
  // The loader ignores an empty path as a whole, but not empty parts.
  const auto paths = dynamic.runpath ? dynamic.runpath : dynamic.rpath;
  const std::string text = paths ? name(*paths).value_or("") : "";
  if (!text.empty()) facts.search_paths = split(text, ':');
}

void read_dynamic(const ElfImage& image, ElfStretch stretch, Exports exports, ElfFacts& facts) {
  const Dynamic dynamic = dynamic_of(image, stretch, facts);
  if ((dynamic.flags_1 & DF_1_PIE) != 0) facts.type = "executable";
  const bool has_names = !dynamic.needed.empty() || dynamic.soname || dynamic.rpath ||
                         dynamic.runpath || dynamic.version_needs != 0 ||
                         dynamic.version_definitions != 0;
  if (dynamic.strings == 0) {
    if (has_names) fail_elf("without a string table");
    return;
  }
  ElfNames names(image, dynamic.strings, dynamic.strings_size);
  read_names(dynamic, names, facts);
  if (dynamic.version_needs != 0) read_version_needs(image, names, dynamic.version_needs, facts);
  if (dynamic.version_definitions != 0) {
    read_version_definitions(image, names, dynamic.version_definitions, facts);
  }
  read_elf_symbols(image, names, dynamic.symbols, exports, facts);
}

void read_interpreter(const ElfImage& image, ElfStretch stretch, ElfFacts& facts) {
  if (!image.lies_within(stretch)) fail_elf("that is truncated");
  std::string room;
  const std::string_view text =
      image.bytes().at(stretch.offset, std::min(stretch.size, longest_elf_name), room);
  facts.is_partial = facts.is_partial || text.size() < stretch.size;
  facts.interpreter = shown_elf_name(text.substr(0, text.find('\0')));
}

void read_loaded(const ElfImage& image, Exports exports, ElfFacts& facts) {
  if (is_debug_information(image)) {
    facts.type = "debug";
    return;
  }
  if (!image.has_segments()) {
    facts.is_partial = true;
    return;
  }
  bool is_loadable = false;
  for (const ElfSegment& segment : image.segments()) {
    if (segment.type != PT_LOAD) continue;
    is_loadable = true;
    if (!image.lies_within(segment.in_file)) fail_elf("that is truncated");
  }
  // Programs for cards are ELF files with special layouts.
  if (!is_loadable && is_known_machine(image.machine())) fail_elf("without loadable segments");
  const ElfSegment* dynamic = nullptr;
  for (const ElfSegment& segment : image.segments()) {
    if (segment.type == PT_INTERP) read_interpreter(image, segment.in_file, facts);
    if (segment.type == PT_DYNAMIC) dynamic = &segment;
  }
  if (dynamic != nullptr) read_dynamic(image, dynamic->in_file, exports, facts);
}

}  // namespace

ElfFacts parse_elf(ElfBytes& bytes, Exports exports) {
  ElfFacts facts;
  try {
    const ElfImage image(bytes);
    facts.machine = machine_name(image);
    facts.type = type_name(image.type());
    if (image.type() == ET_DYN || image.type() == ET_EXEC) read_loaded(image, exports, facts);
  } catch (const Error& error) {
    facts.problem = error.message();
  }
  return facts;
}

}  // namespace topsctl
