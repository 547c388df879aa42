// Reads the versions that a file requires of libraries and those that it defines.
#include "host/content/elf_versions.hpp"

#include <elf.h>

#include <algorithm>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_versions = 65536;  // and at most as many libraries
constexpr std::uint64_t first_window = 8192;  // bytes; larger chains are rare
constexpr std::uint64_t most_window = 4ULL << 20U;

// Verneed, Vernaux, Verdef and Verdaux are equal in both classes.
static_assert(sizeof(Elf64_Verneed) == sizeof(Elf32_Verneed));
static_assert(sizeof(Elf64_Vernaux) == sizeof(Elf32_Vernaux));
static_assert(sizeof(Elf64_Verdef) == sizeof(Elf32_Verdef));
static_assert(sizeof(Elf64_Verdaux) == sizeof(Elf32_Verdaux));

// The records of a chain, in sequence but not at fixed distances.
class Chain {
 public:
  Chain(const ElfImage& image, std::uint64_t address) : image_(image) {
    const auto place = image.loaded_at(address);
    if (!place) fail_elf("whose versions lie outside the file");
    stretch_ = *place;
    view_ = image.bytes().at(stretch_.offset, std::min(stretch_.size, first_window), room_);
  }

  // Empty if the bytes are unavailable or too far away. Throws for a record outside of the file.
  std::string_view record(std::uint64_t at, std::size_t size) {
    if (at > stretch_.size || size > stretch_.size - at) {
      fail_elf("whose versions lie outside the file");
    }
    if (at + size > view_.size() && !is_grown_) {
      is_grown_ = true;
      view_ = image_.bytes().at(stretch_.offset, std::min(stretch_.size, most_window), room_);
    }
    return at + size > view_.size() ? std::string_view() : view_.substr(at, size);
  }

 private:
  const ElfImage& image_;
  ElfStretch stretch_;
  std::string room_;
  std::string_view view_;
  bool is_grown_ = false;
};

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

bool is_dotted_number(std::string_view text) {
  const std::vector<std::string> parts = split(text, '.');
  return std::all_of(parts.begin(), parts.end(),
                     [](const std::string& part) { return !part.empty() && is_digits(part); });
}

// Keeps the higher of two; GLIBC_PRIVATE, GLIBC_ABI_DT_RELR and CXXABI_TM_1 have no number.
void keep_highest(std::string_view version, std::string_view prefix, std::string& highest) {
  if (!version.starts_with(prefix)) return;
  version.remove_prefix(prefix.size());
  if (is_dotted_number(version) && is_later_version(version, highest)) highest = version;
}

// The versions needed of one library; false if the chain is invalid.
bool read_library(const ElfImage& image, Chain& chain, ElfNames& names, std::uint64_t at,
                  std::size_t& left, ElfVersionNeed& need) {
  for (;;) {
    if (left-- == 0) return false;
    const std::string_view record = chain.record(at, sizeof(Elf64_Vernaux));
    if (record.empty()) return false;
    if ((image.half(record, offsetof(Elf64_Vernaux, vna_flags)) & VER_FLG_WEAK) == 0) {
      auto version = names.at(image.word(record, offsetof(Elf64_Vernaux, vna_name)));
      if (!version) return false;
      need.versions.push_back(std::move(*version));
    }
    const std::uint32_t next = image.word(record, offsetof(Elf64_Vernaux, vna_next));
    if (next == 0) return true;
    at += next;
  }
}

}  // namespace

bool is_later_version(std::string_view version, std::string_view than) {
  if (than.empty()) return !version.empty();
  const std::vector<std::string> left = split(version, '.');
  const std::vector<std::string> right = split(than, '.');
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const std::string_view a = without_zeros(left[i]);
    const std::string_view b = without_zeros(right[i]);
    if (a.size() != b.size()) return a.size() > b.size();
    if (a != b) return a > b;
  }
  return left.size() > right.size();
}

void read_version_needs(const ElfImage& image, ElfNames& names, std::uint64_t address,
                        ElfFacts& facts) {
  Chain chain(image, address);
  std::size_t left = most_versions;
  std::uint64_t at = 0;
  for (std::size_t libraries = 0;; ++libraries) {
    const std::string_view record = chain.record(at, sizeof(Elf64_Verneed));
    if (record.empty() || libraries == most_versions) break;
    const std::uint64_t versions = at + image.word(record, offsetof(Elf64_Verneed, vn_aux));
    const std::uint32_t next = image.word(record, offsetof(Elf64_Verneed, vn_next));
    auto library = names.at(image.word(record, offsetof(Elf64_Verneed, vn_file)));
    if (!library) break;
    ElfVersionNeed need{std::move(*library), {}};
    const bool is_read = read_library(image, chain, names, versions, left, need);
    for (const std::string& version : need.versions) {
      keep_highest(version, "GLIBC_", facts.glibc);
      keep_highest(version, "GLIBCXX_", facts.glibcxx);
      keep_highest(version, "CXXABI_", facts.cxxabi);
    }
    std::sort(need.versions.begin(), need.versions.end());
    if (!need.versions.empty()) facts.version_needs.push_back(std::move(need));
    if (!is_read) break;
    if (next == 0) return;
    at += next;
  }
  facts.is_partial = true;
}

void read_version_definitions(const ElfImage& image, ElfNames& names, std::uint64_t address,
                              ElfFacts& facts) {
  Chain chain(image, address);
  std::uint64_t at = 0;
  for (std::size_t count = 0; count < most_versions; ++count) {
    const std::string_view record = chain.record(at, sizeof(Elf64_Verdef));
    if (record.empty()) break;
    const std::uint16_t flags = image.half(record, offsetof(Elf64_Verdef, vd_flags));
    const std::uint64_t name_at = at + image.word(record, offsetof(Elf64_Verdef, vd_aux));
    const std::uint32_t next = image.word(record, offsetof(Elf64_Verdef, vd_next));
    if ((flags & VER_FLG_BASE) == 0) {
      const std::string_view first = chain.record(name_at, sizeof(Elf64_Verdaux));
      if (first.empty()) break;
      auto name = names.at(image.word(first, offsetof(Elf64_Verdaux, vda_name)));
      if (!name) break;
      facts.defined_versions.push_back(std::move(*name));
    }
    if (next == 0) return;
    at += next;
  }
  facts.is_partial = true;
}

}  // namespace topsctl
