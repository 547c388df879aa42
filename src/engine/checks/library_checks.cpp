// Checks shared libraries without running them: their properties, and their dependencies.
#include "engine/checks/library_checks.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <set>

#include "engine/checks/check_outcomes.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/compatibility/loader_paths.hpp"
#include "topsctl/host/content/elf.hpp"
#include "topsctl/host/facts/loader_cache.hpp"

namespace topsctl {

namespace {

// The path of the package's file of that name; empty: no such file.
std::string path_in(const InstalledDeb& deb, const std::string& name) {
  const auto found = std::find_if(deb.files.begin(), deb.files.end(),
                                  [&](const std::string& file) { return name_part(file) == name; });
  return found == deb.files.end() ? std::string() : *found;
}

// Finds libraries as ld.so(8) does: RUNPATH, LD_LIBRARY_PATH, the cache, the default directories.
class Loader {
 public:
  explicit Loader(const CheckedMachine& machine)
      : host_(machine.host), folders_(default_folders(machine.facts.architecture)) {
    for (const SearchPath& path : machine.environment.paths) {
      if (path.name != "LD_LIBRARY_PATH") continue;
      for (const SearchPathEntry& entry : path.entries) first_.push_back(entry.directory);
    }
    for (CachedLibrary& library : read_libraries(host_))
      cached_.emplace(std::move(library.soname), std::move(library.path));
  }

  // The path of the library that `file` needs; empty: not found.
  std::string find(const std::string& soname, const std::string& file,
                   const ElfFacts& facts) const {
    if (soname.find('/') != std::string::npos) return is_file(soname) ? soname : std::string();
    std::vector<std::string> folders;
    for (const std::string& entry : facts.search_paths) {
      const std::string folder = search_folder(entry, file);
      if (!folder.empty()) folders.push_back(folder);
    }
    folders.insert(folders.end(), first_.begin(), first_.end());
    if (const std::string found = in_one_of(folders, soname); !found.empty()) return found;
    const auto cached = cached_.find(soname);
    if (cached != cached_.end() && is_file(cached->second)) return cached->second;
    return in_one_of(folders_, soname);
  }

 private:
  bool is_file(const std::string& path) const {
    struct stat status {};
    return ::stat(host_.resolve(path).c_str(), &status) == 0 && S_ISREG(status.st_mode);
  }
  std::string in_one_of(const std::vector<std::string>& folders, const std::string& name) const {
    for (const std::string& folder : folders) {
      const std::string path = concat(folder, "/", name);
      if (is_file(path)) return path;
    }
    return {};
  }

  const Host& host_;
  std::vector<std::string> first_;
  std::vector<std::string> folders_;
  std::map<std::string, std::string> cached_;
};

// Missing dependencies of a library and of the libraries that it needs.
struct Gaps {
  std::vector<std::string> missing;   // "libtopsrt.so.1, which /usr/lib/libeccl.so needs"
  std::vector<std::string> versions;  // "CAPS_0.8 of /opt/tops/lib/libtopsrt.so.1, which ... needs"
  std::size_t libraries = 0;          // number of libraries checked
};

void compare_versions(const ElfFacts& facts, const std::string& file, const std::string& soname,
                      const std::string& provider, const ElfFacts& provided, Gaps& gaps) {
  if (!provided.is_sound() || provided.is_partial) return;
  for (const ElfVersionNeed& need : facts.version_needs) {
    if (need.library != soname) continue;
    for (const std::string& version : need.versions) {
      const auto& defined = provided.defined_versions;
      if (std::find(defined.begin(), defined.end(), version) == defined.end())
        gaps.versions.push_back(format("{} of {}, needed by {}", version, provider, file));
    }
  }
}

Gaps gaps_of(const CheckedMachine& machine, const std::string& path) {
  constexpr std::size_t most_libraries = 512;
  const Loader loader(machine);
  Gaps gaps;
  std::map<std::string, ElfFacts> known = {
      {path, read_elf(machine.host.resolve(path), Exports::skip)}};
  std::deque<std::string> waiting = {path};
  while (!waiting.empty() && known.size() < most_libraries) {
    const std::string file = waiting.front();
    waiting.pop_front();
    const ElfFacts facts = known.at(file);
    for (const std::string& soname : facts.needed) {
      const std::string provider = loader.find(soname, file, facts);
      if (provider.empty()) {
        gaps.missing.push_back(format("{}, needed by {}", soname, file));
        continue;
      }
      if (!known.contains(provider)) {
        known.emplace(provider, read_elf(machine.host.resolve(provider), Exports::skip));
        waiting.push_back(provider);
      }
      compare_versions(facts, file, soname, provider, known.at(provider), gaps);
    }
  }
  gaps.libraries = known.size();
  return gaps;
}

}  // namespace

void judge_library(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result) {
  result.expected =
      format("a real library {} that exports {}", rule.file, joined(rule.symbols, ", "));
  const InstalledDeb* deb = machine.deb_of(rule.component);
  if (deb == nullptr || !is_installed(deb->status)) {
    fail(result, "its package is not installed", "install it with `topsctl install BUNDLE`");
    return;
  }
  const std::string path = path_in(*deb, rule.file);
  if (path.empty()) {
    fail(result, format("package {} has no file {}", deb->name, rule.file),
         "use the vendor's own package");
    return;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(machine.host.resolve(path), ignored)) {
    fail(result, format("{} is missing", path), "restore it with `topsctl repair`");
    return;
  }
  const ElfFacts elf = read_elf(machine.host.resolve(path), Exports::list);
  const std::string hint = "the file is not the vendor's library: restore it with `topsctl repair`";
  if (!elf.is_sound()) return fail(result, concat(path, ": ", elf.problem), hint);
  if (elf.machine != "x86-64")
    return fail(result, format("{}: an ELF file for another architecture", path), hint);
  for (const std::string& symbol : rule.symbols) {
    if (std::find(elf.exported.begin(), elf.exported.end(), symbol) == elf.exported.end())
      return fail(result, format("{} does not export {}", path, symbol), hint);
  }
  pass(result, format("{}, {} symbols, owned by {}", path, elf.exported.size(), deb->name));
}

void judge_links(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result) {
  result.expected = format("all libraries that {} needs, in matching versions", rule.file);
  const InstalledDeb* deb = machine.deb_of(rule.component);
  const std::string path = deb == nullptr ? std::string() : path_in(*deb, rule.file);
  if (path.empty()) return skip(result, "its package is not installed");
  const Gaps gaps = gaps_of(machine, path);
  if (!gaps.missing.empty()) {
    return fail(result, format("missing: {}", joined(gaps.missing, "; ")),
                "install the package that provides it; if it is installed, run `ldconfig` or load "
                "the environment file");
  }
  if (!gaps.versions.empty()) {
    return fail(result, format("missing: {}", joined(gaps.versions, "; ")),
                "the packages are from different releases: install all of them from one bundle");
  }
  pass(result, format("{}: {} checked, nothing missing", path, counted(gaps.libraries, "file")));
}

}  // namespace topsctl
