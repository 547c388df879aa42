// Names and JSON form of the results of reading a whole package.
#include "topsctl/model/contents.hpp"

#include <nlohmann/json.hpp>

namespace topsctl {

std::string_view name(Mismatch::Kind kind) {
  switch (kind) {
    case Mismatch::Kind::digest:
      return "digest";
    case Mismatch::Kind::size:
      return "size";
    case Mismatch::Kind::missing:
      return "missing";
    case Mismatch::Kind::unlisted:
      return "unlisted";
    case Mismatch::Kind::no_digest:
      return "no-digest";
  }
  return "digest";
}

std::string_view name(StrangeEntry::Kind kind) {
  switch (kind) {
    case StrangeEntry::Kind::escapes:
      return "escapes";
    case StrangeEntry::Kind::duplicate:
      return "duplicate";
    case StrangeEntry::Kind::link_escapes:
      return "link-escapes";
    case StrangeEntry::Kind::hard_link_outside:
      return "hard-link-outside";
    case StrangeEntry::Kind::device:
      return "device";
    case StrangeEntry::Kind::too_large:
      return "too-large";
    case StrangeEntry::Kind::bad_name:
      return "bad-name";
  }
  return "escapes";
}

namespace {

Json to_json(const ElfFile& file) {
  const ElfFacts& facts = file.facts;
  return {{"path", file.path},
          {"machine", text_or_null(facts.machine)},
          {"type", text_or_null(facts.type)},
          {"soname", text_or_null(facts.soname)},
          {"needed", facts.needed},
          {"search_paths", facts.search_paths},
          {"glibc", text_or_null(facts.glibc)},
          {"glibcxx", text_or_null(facts.glibcxx)},
          {"cxxabi", text_or_null(facts.cxxabi)},
          {"python_extension", facts.is_python_extension},
          {"problem", text_or_null(facts.problem)}};
}

}  // namespace

Json to_json(const std::map<Setting, std::uint64_t>& settings) {
  Json list = Json::array();
  for (const auto& [setting, count] : settings)
    list.push_back({{"name", setting.name}, {"value", setting.value}, {"count", count}});
  return list;
}

Json to_json(const Contents& contents) {
  Json mismatches = Json::array();
  for (const Mismatch& mismatch : contents.mismatches) {
    mismatches.push_back({{"kind", name(mismatch.kind)},
                          {"path", mismatch.path},
                          {"expected", text_or_null(mismatch.expected)},
                          {"found", text_or_null(mismatch.found)}});
  }
  Json elf_files = Json::array();
  for (const ElfFile& file : contents.elf_files) elf_files.push_back(to_json(file));
  return {{"digest_list", text_or_null(contents.list_name)},
          {"files_checked", contents.files_checked},
          {"unpacked_size", contents.unpacked_size},
          {"mismatches", std::move(mismatches)},
          {"elf_files", std::move(elf_files)},
          {"settings", to_json(contents.settings)}};
}

}  // namespace topsctl
