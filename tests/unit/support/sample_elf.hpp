// Shared libraries made byte by byte, of both classes and byte orders, without section headers.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace topsctl {

struct Class64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Dynamic = Elf64_Dyn;
  using Symbol = Elf64_Sym;
  static constexpr unsigned char number = ELFCLASS64;
};

struct Class32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Dynamic = Elf32_Dyn;
  using Symbol = Elf32_Sym;
  static constexpr unsigned char number = ELFCLASS32;
};

struct SampleVersion {
  std::string name;
  unsigned flags = 0;
};

// Fill in, change at will, and take bytes(). Tables are loaded 64 KiB above where they lie.
template <class Class = Class64>
class SampleElf {
 public:
  std::string soname, runpath, rpath, interpreter;
  std::vector<std::string> needed;
  std::vector<std::pair<std::string, std::vector<SampleVersion>>> version_needs;
  std::vector<SampleVersion> version_definitions;
  std::vector<std::pair<std::string, bool>> symbols;  // name, whether defined
  bool has_empty_runpath = false, has_gnu_hash = false, has_no_hash = false;
  unsigned char order = ELFDATA2LSB;
  unsigned machine = EM_X86_64, type = ET_DYN;
  std::uint64_t flags_1 = 0;
  std::size_t filler = 0;            // bytes before the tables
  std::size_t filler_after = 0;      // bytes after them
  std::size_t own_segment_from = 0;  // if set, the first segment ends there

  std::string bytes() {
    bytes_.assign(sizeof(typename Class::Header) + 4 * sizeof(typename Class::Segment), '\0');
    names_ = std::string(1, '\0');
    entries_.clear();
    bytes_.append(filler, '.');
    for (const std::string& name : needed) entries_.emplace_back(DT_NEEDED, name_of(name));
    if (!soname.empty()) entries_.emplace_back(DT_SONAME, name_of(soname));
    if (!rpath.empty()) entries_.emplace_back(DT_RPATH, name_of(rpath));
    if (!runpath.empty() || has_empty_runpath) entries_.emplace_back(DT_RUNPATH, name_of(runpath));
    if (flags_1 != 0) entries_.emplace_back(DT_FLAGS_1, flags_1);
    add_symbols();
    add_version_needs();
    add_version_definitions();
    entries_.emplace_back(DT_STRTAB, begin());
    entries_.emplace_back(DT_STRSZ, names_.size());
    bytes_ += names_;
    add_dynamic_and_headers();
    return bytes_;
  }

 private:
  static constexpr std::uint64_t base = 0x10000;

  template <class Integer>
  void put(Integer& to, std::uint64_t value) const {
    to = static_cast<Integer>(value);
    if (order == ELFDATA2LSB) return;
    char raw[sizeof to];
    std::memcpy(raw, &to, sizeof to);
    std::reverse(raw, raw + sizeof to);
    std::memcpy(&to, raw, sizeof to);
  }
  template <class Record>
  void add(const Record& record) {
    bytes_.append(reinterpret_cast<const char*>(&record), sizeof record);
  }
  void add_word(std::uint32_t value) {
    std::uint32_t word = 0;
    put(word, value);
    add(word);
  }
  // The address of what comes next.
  std::uint64_t begin() {
    bytes_.append((8 - bytes_.size() % 8) % 8, '\0');
    return base + bytes_.size();
  }
  std::uint32_t name_of(const std::string& name) {
    names_ += name + '\0';
    return static_cast<std::uint32_t>(names_.size() - name.size() - 1);
  }

  void add_symbols() {
    if (symbols.empty()) return;
    entries_.emplace_back(DT_SYMTAB, begin());
    add(typename Class::Symbol{});
    for (const auto& [name, is_defined] : symbols) {
      typename Class::Symbol symbol{};
      put(symbol.st_name, name_of(name));
      put(symbol.st_shndx, is_defined ? 1 : SHN_UNDEF);
      symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
      add(symbol);
    }
    const auto count = static_cast<std::uint32_t>(symbols.size() + 1);
    if (has_no_hash) return;
    entries_.emplace_back(has_gnu_hash ? DT_GNU_HASH : DT_HASH, begin());
    if (has_gnu_hash) {
      // One bucket and one chain with all symbols after the first.
      for (const std::uint32_t word : {1U, 1U, 1U, 0U}) add_word(word);
      bytes_.append(Class::number == ELFCLASS64 ? 8 : 4, '\xff');
      add_word(1);
      for (std::uint32_t i = 1; i < count; ++i) add_word(i + 1 == count ? 3 : 2);
    } else {
      for (const std::uint32_t word : {1U, count, 1U}) add_word(word);
      for (std::uint32_t i = 0; i < count; ++i) add_word(0);
    }
  }

  void add_version_needs() {
    if (version_needs.empty()) return;
    entries_.emplace_back(DT_VERNEED, begin());
    for (std::size_t i = 0; i < version_needs.size(); ++i) {
      const auto& [library, versions] = version_needs[i];
      Elf64_Verneed need{};
      put(need.vn_version, 1);
      put(need.vn_cnt, versions.size());
      put(need.vn_file, name_of(library));
      put(need.vn_aux, sizeof need);
      const bool is_last = i + 1 == version_needs.size();
      put(need.vn_next, is_last ? 0 : sizeof need + versions.size() * sizeof(Elf64_Vernaux));
      add(need);
      for (std::size_t j = 0; j < versions.size(); ++j) {
        Elf64_Vernaux one{};
        put(one.vna_flags, versions[j].flags);
        put(one.vna_name, name_of(versions[j].name));
        put(one.vna_next, j + 1 == versions.size() ? 0 : sizeof one);
        add(one);
      }
    }
  }

  void add_version_definitions() {
    if (version_definitions.empty()) return;
    entries_.emplace_back(DT_VERDEF, begin());
    for (std::size_t i = 0; i < version_definitions.size(); ++i) {
      Elf64_Verdef definition{};
      put(definition.vd_version, 1);
      put(definition.vd_flags, version_definitions[i].flags);
      put(definition.vd_cnt, 1);
      put(definition.vd_aux, sizeof definition);
      const bool is_last = i + 1 == version_definitions.size();
      put(definition.vd_next, is_last ? 0 : sizeof definition + sizeof(Elf64_Verdaux));
      add(definition);
      Elf64_Verdaux name{};
      put(name.vda_name, name_of(version_definitions[i].name));
      add(name);
    }
  }

  typename Class::Segment segment(std::uint32_t kind, std::uint64_t offset, std::uint64_t size) {
    typename Class::Segment segment{};
    put(segment.p_type, kind);
    put(segment.p_offset, offset);
    put(segment.p_vaddr, base + offset);
    put(segment.p_filesz, size);
    put(segment.p_memsz, size);
    return segment;
  }

  void add_dynamic_and_headers() {
    const std::uint64_t interpreter_at = bytes_.size();
    if (!interpreter.empty()) bytes_ += interpreter + '\0';
    const std::uint64_t dynamic_at = begin() - base;
    entries_.emplace_back(DT_NULL, 0);
    for (const auto& [tag, value] : entries_) {
      typename Class::Dynamic entry{};
      put(entry.d_tag, static_cast<std::uint64_t>(tag));
      put(entry.d_un.d_val, value);
      add(entry);
    }
    const std::uint64_t dynamic_size = bytes_.size() - dynamic_at;
    bytes_.append(filler_after, '.');
    std::vector<typename Class::Segment> segments;
    const std::uint64_t cut = own_segment_from > 0 ? own_segment_from : bytes_.size();
    segments.push_back(segment(PT_LOAD, 0, cut));
    if (cut < bytes_.size()) segments.push_back(segment(PT_LOAD, cut, bytes_.size() - cut));
    segments.push_back(segment(PT_DYNAMIC, dynamic_at, dynamic_size));
    if (!interpreter.empty()) {
      segments.push_back(segment(PT_INTERP, interpreter_at, interpreter.size() + 1));
    }
    typename Class::Header header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = Class::number;
    header.e_ident[EI_DATA] = order;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    put(header.e_type, type);
    put(header.e_machine, machine);
    put(header.e_phoff, sizeof header);
    put(header.e_phentsize, sizeof(typename Class::Segment));
    put(header.e_phnum, segments.size());
    std::memcpy(bytes_.data(), &header, sizeof header);
    std::memcpy(bytes_.data() + sizeof header, segments.data(),
                segments.size() * sizeof(typename Class::Segment));
  }

  std::string bytes_;
  std::string names_;
  std::vector<std::pair<std::int64_t, std::uint64_t>> entries_;
};

}  // namespace topsctl
