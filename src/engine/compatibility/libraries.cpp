// Shared libraries that ELF files of the bundle need and neither bundle nor target has.
#include "engine/compatibility/libraries.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/engine/compatibility/loader_paths.hpp"
#include "topsctl/model/finding_catalogue.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace {

using Names = std::unordered_set<std::string_view>;

// The libraries that packages provide.
struct Provided {
  Names names;            // SONAMEs and file names
  std::string libstdcxx;  // the highest GLIBCXX_ that one of them defines; empty: none
  std::string glibc;      // the same for GLIBC_, from a libc.so.6 in the loader's path
};

std::string elf_machine(std::string_view architecture) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> machines = {
      {{"amd64", "x86-64"}, {"arm64", "aarch64"}, {"i386", "i386"}}};
  for (const auto& [dpkg, machine] : machines) {
    if (dpkg == architecture) return std::string(machine);
  }
  return {};
}

// Missing dependencies of one package's files; each with the files that need it.
struct Lacks {
  std::map<std::string, std::vector<Evidence>> libraries;
  std::map<std::string, std::vector<Evidence>> of_plugins;
  std::map<std::string, std::vector<Evidence>> glibc;  // by version
  std::map<std::string, std::vector<Evidence>> libstdcxx;
};

class LibraryChecks {
 public:
  LibraryChecks(const Inspection& inspection, const ComparedDebs& debs,
                const TargetSnapshot& target, const CompatibilityRules& rules, Findings& findings)
      : inspection_(inspection),
        target_(target),
        rules_(rules),
        findings_(findings),
        machine_(elf_machine(target.architecture)),
        folders_(default_folders(target.architecture)) {
    for (const CachedLibrary& library : target.libraries) on_target_.insert(library.soname);
    for (const KnownDeb* deb : debs.bundle) {
      add_provided(*deb->package, deb->index, bundle_);
      for_each_file(deb->index, [&](const ElfFile& file) {
        needed_.insert(file.facts.needed.begin(), file.facts.needed.end());
      });
    }
  }

  // `after`: the debs present after the install.
  void check_deb(const KnownDeb& deb, const DebSet& after) {
    Lacks lacks;
    const std::string absent = absent_optional(deb, after);
    const bool has_rest = !deb.depends.empty() && has_sound_library(deb.index);
    for_each_file(deb.index, [&](const ElfFile& file) {
      const bool is_optional = !absent.empty() || (has_rest && is_below_default_folder(file.path));
      auto& libraries = is_optional && is_plugin(file) ? lacks.of_plugins : lacks.libraries;
      for (const std::string& soname : file.facts.needed) {
        if (!is_on_system(soname, file)) {
          libraries[soname].push_back({file.path, 0, format("needs {}", soname)});
        }
      }
      look_at_versions(file, bundle_, lacks);
    });
    for (auto& [soname, evidence] : lacks.of_plugins) {
      add_finding("plugin-library-missing", deb.package->path, std::move(evidence),
                  absent.empty()
                      ? std::string()
                      : format("has no {}, which the package only recommends or suggests", absent));
    }
    report(deb.package->path, std::move(lacks), {});
  }

  // `pythons`: the interpreters for the wheel. A library is missing if none of them has it.
  void check_wheel(std::size_t index, const std::vector<const PythonFacts*>& pythons,
                   const std::set<std::string>& distributions) {
    const Package& wheel = inspection_.inventory.packages[index];
    Provided own;
    own.libstdcxx = bundle_.libstdcxx;
    own.glibc = bundle_.glibc;
    add_provided(wheel, index, own);
    Lacks lacks;
    std::map<std::string, std::string> notes;
    for_each_file(index, [&](const ElfFile& file) {
      for (const std::string& soname : file.facts.needed) {
        if (own.names.contains(soname) || is_on_system(soname, file)) continue;
        const bool is_there =
            std::any_of(pythons.begin(), pythons.end(), [&](const PythonFacts* python) {
              return is_in_python(soname, file, *python, distributions);
            });
        if (is_there) continue;
        lacks.libraries[soname].push_back({file.path, 0, format("needs {}", soname)});
        if (const LibraryProvider* provider = provider_of(soname)) {
          notes.emplace(soname, format("the distribution {} provides it, but no interpreter has it",
                                       provider->distribution));
        }
      }
      look_at_versions(file, own, lacks);
    });
    report(wheel.path, std::move(lacks), notes);
  }

 private:
  bool is_ours(const ElfFacts& facts) const {
    return facts.is_sound() && facts.type != "relocatable" && facts.type != "core" &&
           (machine_.empty() || facts.machine == machine_);
  }

  template <class Act>
  void for_each_file(std::size_t index, const Act& act) const {
    const auto contents = inspection_.contents.find(index);
    if (contents == inspection_.contents.end()) return;
    for (const ElfFile& file : contents->second.elf_files) {
      if (is_ours(file.facts)) act(file);
    }
  }

  // SONAMEs and file names in any directory, because the stack's environment adds their directories
  // to the loader's. Links count if they lead to such a file or out of the package.
  void add_provided(const Package& package, std::size_t index, Provided& provided) const {
    std::unordered_set<std::string_view> sound;
    for_each_file(index, [&](const ElfFile& file) {
      sound.insert(file.path);
      provided.names.insert(name_part(file.path));
      if (!file.facts.soname.empty()) provided.names.insert(file.facts.soname);
      raise(provided.libstdcxx, file.facts, "GLIBCXX_");
      if (file.facts.soname == "libc.so.6" && is_in_default_folder(file.path)) {
        raise(provided.glibc, file.facts, "GLIBC_");
      }
    });
    if (package.files) add_links(*package.files, sound, provided.names);
  }

  // Raises `highest` to the highest version that the file defines.
  static void raise(std::string& highest, const ElfFacts& facts, std::string_view prefix) {
    for (const std::string& version : facts.defined_versions) {
      if (!version.starts_with(prefix)) continue;
      const std::string number = version.substr(prefix.size());
      if (is_digits(number.substr(0, 1)) && compare_debian_versions(highest, number) < 0) {
        highest = number;
      }
    }
  }

  bool is_in_default_folder(std::string_view path) const {
    return std::find(folders_.begin(), folders_.end(), folder_part(path)) != folders_.end();
  }

  // In a package's directory below the architecture's: "/usr/lib/x86_64-linux-gnu/x/y.so".
  bool is_below_default_folder(std::string_view path) const {
    return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
      return folder.ends_with("-linux-gnu") && folder_part(path).starts_with(folder + "/");
    });
  }

  // Whether there is a library for all programs whose dependencies are present.
  bool has_sound_library(std::size_t index) const {
    bool is_any = false;
    bool is_sound = true;
    for_each_file(index, [&](const ElfFile& file) {
      if (!is_in_default_folder(file.path)) return;
      is_any = true;
      for (const std::string& soname : file.facts.needed) {
        is_sound = is_sound && is_on_system(soname, file);
      }
    });
    return is_any && is_sound;
  }

  // A library in its own directory that no file of the bundle needs: programs load it by name if
  // they use it. Python modules are the main content of a package, not plugins.
  bool is_plugin(const ElfFile& file) const {
    const ElfFacts& facts = file.facts;
    return facts.type == "shared" && !facts.is_python_extension &&
           !is_in_default_folder(file.path) && !needed_.contains(name_part(file.path)) &&
           (facts.soname.empty() || !needed_.contains(facts.soname));
  }

  // Packages that the deb only recommends or suggests and that will not be installed.
  static std::string absent_optional(const KnownDeb& deb, const DebSet& after) {
    std::vector<std::string> absent;
    for (const Clause& clause : deb.optional) {
      if (!after.is_met(clause, deb)) absent.push_back(clause.alternatives.front().name);
    }
    return joined(absent, ", ");
  }

  static void add_links(const std::vector<PayloadEntry>& files,
                        const std::unordered_set<std::string_view>& sound, Names& names) {
    std::unordered_map<std::string_view, const PayloadEntry*> libraries;
    for (const PayloadEntry& entry : files) {
      if (name_part(entry.path).find(".so") != std::string_view::npos) {
        libraries.emplace(entry.path, &entry);
      }
    }
    constexpr int most_links = 8;
    for (const auto& [path, entry] : libraries) {
      const PayloadEntry* at = entry;
      std::string next;
      for (int i = 0; i < most_links && at != nullptr && !at->link_target.empty(); ++i) {
        const bool is_relative =
            at->type == PayloadEntry::Type::symlink && !at->link_target.starts_with('/');
        next = normal_path(is_relative ? concat(folder_part(at->path), "/", at->link_target)
                                       : at->link_target);
        const auto found = libraries.find(next);
        at = found == libraries.end() ? nullptr : found->second;
      }
      if (!next.empty() && (at == nullptr || sound.contains(at->path))) {
        names.insert(name_part(path));
      }
    }
  }

  bool is_file_there(const std::string& path) const { return target_.owners.contains(path); }

  bool is_on_system(const std::string& soname, const ElfFile& file) const {
    if (on_target_.contains(soname) || bundle_.names.contains(soname)) return true;
    for (const std::string& folder : rules_.library_folders) {
      if (is_file_there(concat(folder, "/", soname))) return true;
    }
    if (soname.find('/') != std::string::npos) {
      return bundle_.names.contains(name_part(soname)) || is_file_there(soname);
    }
    for (const std::string& folder : folders_) {
      if (is_file_there(concat(folder, "/", soname))) return true;
    }
    return std::any_of(file.facts.search_paths.begin(), file.facts.search_paths.end(),
                       [&](const std::string& search_path) {
                         const std::string folder = search_folder(search_path, file.path);
                         return !folder.empty() && is_file_there(concat(folder, "/", soname));
                       });
  }

  const LibraryProvider* provider_of(std::string_view soname) const {
    for (const LibraryProvider& provider : rules_.python_libraries) {
      for (const std::string& prefix : provider.prefixes) {
        if (soname.starts_with(prefix)) return &provider;
      }
    }
    return nullptr;
  }

  static bool has_distribution(const std::string& name, const PythonFacts& python,
                               const std::set<std::string>& of_bundle) {
    const std::string wanted = normalized_name(name);
    return of_bundle.contains(wanted) || std::any_of(python.wheels.begin(), python.wheels.end(),
                                                     [&](const InstalledWheel& wheel) {
                                                       return normalized_name(wheel.name) == wanted;
                                                     });
  }

  bool is_in_python(const std::string& soname, const ElfFile& file, const PythonFacts& python,
                    const std::set<std::string>& of_bundle) const {
    // An interpreter with its own prefix contains its library; Debian's has it in another package.
    if (soname.starts_with("libpython" + python.minor) &&
        !python.executable.starts_with("/usr/bin/")) {
      return true;
    }
    const LibraryProvider* provider = provider_of(soname);
    if (provider && has_distribution(provider->distribution, python, of_bundle)) return true;
    // "$ORIGIN/../../torch/lib" leads into another distribution's directory.
    for (const std::string& search_path : file.facts.search_paths) {
      const std::string folder = search_folder(search_path, file.path);
      const std::string top = folder.substr(0, folder.find('/'));
      const std::string own = file.path.substr(0, file.path.find('/'));
      if (!top.empty() && top != own && has_distribution(top, python, of_bundle)) return true;
    }
    return false;
  }

  // `brought`: with the file.
  void look_at_versions(const ElfFile& file, const Provided& brought, Lacks& lacks) const {
    const auto is_newer = [](const std::string& needed, const std::string& there) {
      return !needed.empty() && !there.empty() && compare_debian_versions(needed, there) > 0;
    };
    const ElfFacts& facts = file.facts;
    const std::string& libstdcxx = brought.libstdcxx;
    const bool has_glibc = !brought.glibc.empty() && !is_newer(facts.glibc, brought.glibc);
    if (is_newer(facts.glibc, target_.glibc) && !has_glibc) {
      lacks.glibc[facts.glibc].push_back({file.path, 0, format("needs GLIBC_{}", facts.glibc)});
    }
    const bool is_brought = !libstdcxx.empty() && !is_newer(facts.glibcxx, libstdcxx);
    if (is_newer(facts.glibcxx, target_.glibcxx) && !is_brought) {
      const std::string version = concat("GLIBCXX_", facts.glibcxx);
      lacks.libstdcxx[version].push_back({file.path, 0, format("needs {}", version)});
    }
    if (is_newer(facts.cxxabi, target_.cxxabi) && libstdcxx.empty()) {
      const std::string version = concat("CXXABI_", facts.cxxabi);
      lacks.libstdcxx[version].push_back({file.path, 0, format("needs {}", version)});
    }
  }

  // Similar names on the target: another version, or a file outside the loader's path.
  void add_alike(const std::string& soname, std::vector<Evidence>& evidence) const {
    const std::string stem = soname.substr(0, soname.find(".so")) + ".so";
    std::set<std::string> alike;
    for (const CachedLibrary& library : target_.libraries) {
      if (library.soname.starts_with(stem)) alike.insert(library.soname);
    }
    for (const std::string& name : alike) {
      evidence.push_back({"target", 0, format("has {} instead", name)});
    }
    const std::string end = "/" + soname;
    for (const auto& [path, owners] : target_.owners) {
      if (path.ends_with(end)) {
        evidence.push_back({"target", 0, format("has {}, outside the loader's search path", path)});
      }
    }
  }

  void add_finding(std::string_view id, const std::string& path, std::vector<Evidence> evidence,
                   std::string there = {}) {
    std::sort(evidence.begin(), evidence.end(),
              [](const Evidence& a, const Evidence& b) { return a.source < b.source; });
    evidence = shortened(std::move(evidence));
    if (!there.empty()) evidence.push_back({"target", 0, std::move(there)});
    findings_.push_back(make_finding(id, path, std::move(evidence)));
  }

  void report(const std::string& path, Lacks lacks,
              const std::map<std::string, std::string>& notes) {
    for (auto& [soname, evidence] : lacks.libraries) {
      add_finding("library-missing", path, std::move(evidence));
      std::vector<Evidence>& all = findings_.back().evidence;
      if (const auto note = notes.find(soname); note != notes.end()) {
        all.push_back({"target", 0, note->second});
      }
      add_alike(soname, all);
    }
    for (auto& [version, evidence] : lacks.glibc) {
      add_finding("glibc-too-old", path, std::move(evidence),
                  format("its glibc is {}", target_.glibc));
    }
    for (auto& [version, evidence] : lacks.libstdcxx) {
      add_finding("libstdcxx-too-old", path, std::move(evidence),
                  format("its libstdc++ has GLIBCXX_{} and CXXABI_{}", target_.glibcxx,
                         target_.cxxabi.empty() ? "?" : target_.cxxabi));
    }
  }

  const Inspection& inspection_;
  const TargetSnapshot& target_;
  const CompatibilityRules& rules_;
  Findings& findings_;
  std::string machine_;
  std::vector<std::string> folders_;
  Names on_target_;
  Names needed_;  // by files of the debs
  Provided bundle_;
};

}  // namespace

bool check_libraries(const Inspection& inspection, const ComparedDebs& debs,
                     const std::vector<InterpreterCompatibility>& interpreters,
                     const TargetSnapshot& target, const CompatibilityRules& rules,
                     Findings& findings) {
  if (inspection.depth != Depth::deep) return false;
  if (target.libraries.empty() && target.owners.empty()) return false;
  LibraryChecks checks(inspection, debs, target, rules, findings);
  for (const KnownDeb* deb : debs.bundle) checks.check_deb(*deb, debs.after);

  std::map<std::size_t, std::vector<const PythonFacts*>> takers;
  std::set<std::string> distributions;
  for (std::size_t i = 0; i < interpreters.size(); ++i) {
    for (const DistributionCompatibility& choice : interpreters[i].wheels) {
      if (!choice.wheel) continue;
      takers[*choice.wheel].push_back(&target.pythons[i]);
      distributions.insert(choice.distribution);
    }
  }
  for (const auto& [index, pythons] : takers) checks.check_wheel(index, pythons, distributions);
  return true;
}

}  // namespace topsctl
