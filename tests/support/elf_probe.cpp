// Prints what the two readers of ELF files say of each file named on the command line, as JSON
// lines: the reader of files, and under "streamed" the reader of streams.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "topsctl/host/content/elf.hpp"
#include "topsctl/host/content/elf_collector.hpp"

namespace {

using nlohmann::ordered_json;

ordered_json json_of(const topsctl::ElfFacts& facts) {
  ordered_json needs = ordered_json::array();
  for (const topsctl::ElfVersionNeed& need : facts.version_needs) {
    needs.push_back({{"library", need.library}, {"versions", need.versions}});
  }
  return {{"problem", facts.problem},
          {"is_partial", facts.is_partial},
          {"machine", facts.machine},
          {"type", facts.type},
          {"soname", facts.soname},
          {"interpreter", facts.interpreter},
          {"needed", facts.needed},
          {"search_paths", facts.search_paths},
          {"version_needs", needs},
          {"defined_versions", facts.defined_versions},
          {"exported", facts.exported},
          {"glibc", facts.glibc},
          {"glibcxx", facts.glibcxx},
          {"cxxabi", facts.cxxabi},
          {"is_python_extension", facts.is_python_extension}};
}

// As from an archive: in pieces whose size has nothing to do with the file's tables.
topsctl::ElfFacts collected(const char* file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  topsctl::ElfCollector collector(bytes.size());
  constexpr std::size_t step = 100'003;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    collector.take(std::string_view(bytes).substr(at, step));
  }
  return collector.facts();
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    topsctl::ElfFacts listed = topsctl::read_elf(arguments[i], topsctl::Exports::list);
    ordered_json line = json_of(listed);
    line["file"] = arguments[i];
    listed.exported.clear();
    const topsctl::ElfFacts read = topsctl::read_elf(arguments[i], topsctl::Exports::skip);
    line["listing_agrees"] = read == listed;
    line["streamed"] = json_of(collected(arguments[i]));
    const auto replace = ordered_json::error_handler_t::replace;
    std::printf("%s\n", line.dump(-1, ' ', false, replace).c_str());
  }
  return 0;
}
