// Reduces the packages of a bundle to what the draft of a stack needs.
#include "engine/planning/draft_packages.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/model/environment_settings.hpp"
#include "topsctl/model/relation_parser.hpp"
#include "topsctl/model/stack/stack.hpp"
#include "topsctl/model/stack/stack_words.hpp"

namespace topsctl {

namespace {

// Of every host, or of PyTorch itself.
constexpr std::array<std::string_view, 13> libraries_everywhere = {
    "ld-linux", "libc.so",   "libm.so",  "libdl.so", "libpthread.so", "librt.so", "libutil.so",
    "libgcc_s", "libstdc++", "libtorch", "libc10",   "libpython",     "libshm.so"};
constexpr std::array<std::string_view, 5> optional_endings = {"-dev", "-doc", "-dbg", "-dbgsym",
                                                              "-examples"};
constexpr unsigned executable_bits = 0111;

std::string directory_of(const std::string& path) {
  const std::size_t at = path.rfind('/');
  return at == std::string::npos || at == 0 ? "/" : path.substr(0, at);
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_usable(const Package& package) {
  return (package.kind == PackageKind::deb || package.kind == PackageKind::wheel) &&
         package.verdict != Verdict::archived && package.verdict != Verdict::broken &&
         !package.name.empty();
}

// A stack file holds it: no control characters, and no colon, which ends an entry of a search path.
bool is_expressible(const std::string& text) {
  return printable(text) == text && text.find(':') == std::string::npos;
}

bool are_named_alike(const Package& one, const Package& other) {
  if (one.kind != other.kind) return false;
  return one.kind == PackageKind::wheel ? normalized_name(one.name) == normalized_name(other.name)
                                        : one.name == other.name;
}

bool is_newer(const Package& one, const Package& other) {
  return compare_debian_versions(one.version, other.version) > 0;
}

void find_packages(const Inspection& inspection, DraftPackages& packages) {
  std::vector<DraftPackage>& all = packages.all;
  for (const Package& package : inspection.inventory.packages) {
    if (!is_usable(package)) continue;
    if (!is_identifier(package.name)) {
      packages.inexpressible.insert(printable(package.path));
      continue;
    }
    const auto known = std::find_if(all.begin(), all.end(), [&](const DraftPackage& each) {
      return are_named_alike(*each.package, package);
    });
    DraftPackage& each = known == all.end() ? all.emplace_back() : *known;
    if (package.python && package.python->minor) each.minors.insert(*package.python->minor);
    if (each.package != nullptr && each.package->version != package.version) ++each.others;
    if (each.package == nullptr || is_newer(package, *each.package)) each.package = &package;
  }
  std::set<std::string> ids;
  for (const PackageKind kind : {PackageKind::deb, PackageKind::wheel}) {
    for (DraftPackage& each : all) {
      if (each.package->kind != kind) continue;
      each.id = each.package->name;
      while (!ids.insert(each.id).second) each.id += "-wheel";
    }
  }
}

std::vector<Clause> needs_of(const Package& deb) {
  std::vector<Clause> all;
  for (const std::string* field : {&deb.deb->pre_depends, &deb.deb->depends}) {
    try {
      for (Clause& clause : parse_relations(*field, deb.path)) all.push_back(std::move(clause));
    } catch (const Error&) {
      continue;  // the inspection reports it
    }
  }
  return all;
}

// The debs of the bundle by the names under which others can depend on them: their ids.
std::map<std::string, std::string> provided_names(const std::vector<DraftPackage>& all) {
  std::map<std::string, std::string> names;
  for (const DraftPackage& each : all) {
    if (each.package->deb) names.emplace(each.package->name, each.id);
  }
  for (const DraftPackage& each : all) {
    if (!each.package->deb) continue;
    try {
      for (const Clause& clause : parse_relations(each.package->deb->provides, each.package->path))
        names.emplace(clause.alternatives.front().name, each.id);
    } catch (const Error&) {
      continue;
    }
  }
  return names;
}

void find_needs(DraftPackages& packages) {
  const std::map<std::string, std::string> names = provided_names(packages.all);
  std::map<std::string, std::string> distributions;
  for (const DraftPackage& each : packages) {
    if (each.package->kind == PackageKind::wheel)
      distributions.emplace(normalized_name(each.package->name), each.id);
  }
  for (DraftPackage& each : packages.all) {
    const auto need = [&](const std::string& id) {
      if (id != each.id) each.after.insert(id);
    };
    if (each.package->deb) {
      for (const Clause& clause : needs_of(*each.package)) {
        const auto inside =
            std::find_if(clause.alternatives.begin(), clause.alternatives.end(),
                         [&](const Relation& relation) { return names.contains(relation.name); });
        if (inside != clause.alternatives.end()) {
          need(names.at(inside->name));
        } else {
          packages.outside.insert(clause.alternatives.front().name);
        }
      }
    }
    if (each.package->kind == PackageKind::wheel) {
      for (const std::string& requirement : each.package->depends) {
        const auto inside = distributions.find(distribution_of(requirement));
        if (inside != distributions.end()) need(inside->second);
      }
    }
  }
}

// What no package needs that a run needs is optional, if its name says that it is for builders.
void find_optional(std::vector<DraftPackage>& all) {
  const auto is_named_so = [](const DraftPackage& each) {
    return each.package->kind == PackageKind::deb &&
           std::any_of(optional_endings.begin(), optional_endings.end(),
                       [&](std::string_view end) { return each.package->name.ends_with(end); });
  };
  std::vector<const DraftPackage*> needed;
  for (DraftPackage& each : all) {
    each.is_optional = is_named_so(each);
    if (!each.is_optional) needed.push_back(&each);
  }
  if (needed.empty()) {
    for (DraftPackage& each : all) each.is_optional = false;
  }
  while (!needed.empty()) {
    const DraftPackage& one = *needed.back();
    needed.pop_back();
    for (DraftPackage& each : all) {
      if (!each.is_optional || !one.after.contains(each.id)) continue;
      each.is_optional = false;
      needed.push_back(&each);
    }
  }
}

// Debs before wheels, and each after what it needs; of a circle, in the order found.
void sort_by_needs(std::vector<DraftPackage>& all) {
  std::stable_sort(all.begin(), all.end(), [](const DraftPackage& a, const DraftPackage& b) {
    if (a.package->kind != b.package->kind) return a.package->kind == PackageKind::deb;
    return a.package->name < b.package->name;
  });
  std::vector<DraftPackage> sorted;
  std::set<std::string> waiting;
  for (const DraftPackage& each : all) waiting.insert(each.id);
  while (!all.empty()) {
    auto next = std::find_if(all.begin(), all.end(), [&](const DraftPackage& each) {
      return std::none_of(each.after.begin(), each.after.end(),
                          [&](const std::string& id) { return waiting.contains(id); });
    });
    if (next == all.end()) next = all.begin();
    std::erase_if(next->after, [&](const std::string& id) {
      if (waiting.contains(id)) next->in_circle.insert(id);
      return waiting.contains(id);
    });
    waiting.erase(next->id);
    sorted.push_back(std::move(*next));
    all.erase(next);
  }
  all = std::move(sorted);
}

// Functions int(int*) by the custom of NCCL and its kin, and of the runtimes of CUDA and HIP.
std::string version_function_in(const ElfFacts& facts) {
  for (const std::string& name : facts.version_functions) {
    if (name.ends_with("cclGetVersion") || name.ends_with("RuntimeGetVersion")) return name;
  }
  return {};
}

bool is_library_directory(const std::string& directory) {
  const std::string last = name_of(directory);
  return last == "lib" || last == "lib64" || last.ends_with("-linux-gnu");
}

void find_libraries(const Contents& contents, DraftPackage& each,
                    std::set<std::string>& inexpressible) {
  std::set<std::string> paths;
  if (each.package->files) {
    for (const PayloadEntry& entry : *each.package->files) paths.insert(entry.path);
  }
  for (const ElfFile& elf : contents.elf_files) {
    const std::string directory = directory_of(elf.path);
    if (!elf.facts.is_sound() || elf.facts.type != "shared" || elf.facts.soname.empty() ||
        elf.facts.is_python_extension || !is_library_directory(directory))
      continue;
    if (!is_expressible(elf.path)) {
      inexpressible.insert(printable(elf.path));
      continue;
    }
    const bool has_soname = elf.facts.soname.find('/') == std::string::npos &&
                            paths.contains(concat(directory, "/", elf.facts.soname));
    each.libraries.push_back({has_soname ? elf.facts.soname : name_of(elf.path), directory,
                              version_function_in(elf.facts)});
  }
  std::sort(each.libraries.begin(), each.libraries.end(),
            [](const DraftLibrary& a, const DraftLibrary& b) {
              return std::tie(a.file, a.directory) < std::tie(b.file, b.directory);
            });
}

void find_programs(DraftPackage& each, std::set<std::string>& inexpressible) {
  if (!each.package->files) return;
  for (const PayloadEntry& entry : *each.package->files) {
    const std::string directory = directory_of(entry.path);
    if (entry.type != PayloadEntry::Type::file || (entry.mode & executable_bits) == 0 ||
        name_of(directory) != "bin")
      continue;
    if (is_expressible(entry.path)) {
      each.programs.push_back({name_of(entry.path), directory});
    } else {
      inexpressible.insert(printable(entry.path));
    }
  }
}

void find_module(DraftPackage& each) {
  if (each.package->kind != PackageKind::wheel || !each.package->files) return;
  std::set<std::string> modules;
  for (const PayloadEntry& entry : *each.package->files) {
    const std::size_t slash = entry.path.find('/');
    const std::string top = entry.path.substr(0, slash);
    if (slash != std::string::npos && entry.path.substr(slash) == "/__init__.py")
      modules.insert(top);
    if (slash == std::string::npos && top.ends_with(".py"))
      modules.insert(top.substr(0, top.size() - 3));
  }
  for (const std::string& module : modules) {
    if (!is_variable_name(module)) continue;
    if (each.module.empty() || normalized_name(module) == normalized_name(each.package->name))
      each.module = module;
  }
}

bool is_everywhere(const std::string& library) {
  return std::any_of(libraries_everywhere.begin(), libraries_everywhere.end(),
                     [&](std::string_view begin) { return library.starts_with(begin); });
}

// Debs name the packages of what they load; wheels do not.
void find_missing_libraries(const Inspection& inspection, DraftPackages& packages) {
  std::set<std::string> present;
  for (const auto& [index, contents] : inspection.contents) {
    for (const ElfFile& elf : contents.elf_files) {
      present.insert(elf.facts.soname);
      present.insert(name_of(elf.path));
    }
    const auto& files = inspection.inventory.packages[index].files;
    if (!files) continue;
    for (const PayloadEntry& entry : *files) present.insert(name_of(entry.path));
  }
  for (const auto& [index, contents] : inspection.contents) {
    const Package& package = inspection.inventory.packages[index];
    if (package.kind != PackageKind::wheel || !is_usable(package)) continue;
    for (const ElfFile& elf : contents.elf_files) {
      for (const std::string& library : elf.facts.needed) {
        if (!present.contains(library) && !is_everywhere(library))
          packages.missing_libraries.insert(library);
      }
    }
  }
}

std::string first_problem(const Inspection& inspection) {
  for (const Package& package : inspection.inventory.packages) {
    if (package.verdict == Verdict::broken && !package.problem.empty())
      return printable(concat(package.path, ": ", package.problem));
  }
  return {};
}

}  // namespace

bool VersionLess::operator()(const std::string& one, const std::string& other) const {
  return compare_debian_versions(one, other) < 0;
}

bool DraftPackages::are_unrelated() const {
  return std::all_of(all.begin(), all.end(), [](const DraftPackage& each) {
    return each.after.empty() && each.in_circle.empty();
  });
}

std::map<std::string, std::set<std::string>> DraftPackages::directories_by_file() const {
  std::map<std::string, std::set<std::string>> found;
  for (const DraftPackage& each : all) {
    if (each.package->kind != PackageKind::deb || !each.package->files) continue;
    for (const PayloadEntry& entry : *each.package->files) {
      if (entry.type != PayloadEntry::Type::directory)
        found[name_of(entry.path)].insert(directory_of(entry.path));
    }
  }
  return found;
}

bool DraftPackages::has_only(PackageKind kind) const {
  return std::all_of(all.begin(), all.end(),
                     [&](const DraftPackage& each) { return each.package->kind == kind; });
}

std::string distribution_of(std::string_view requirement) {
  const std::string_view text = trimmed(requirement);
  return normalized_name(text.substr(0, text.find_first_of(" \t([<>=!~;@")));
}

DraftPackages packages_of_draft(const Inspection& inspection) {
  DraftPackages packages;
  find_packages(inspection, packages);
  for (const Package& package : inspection.inventory.packages) {
    if (package.verdict == Verdict::broken) packages.unreadable.insert(printable(package.path));
  }
  if (packages.all.empty()) {
    const std::string broken = first_problem(inspection);
    throw Error(ErrorCode::bad_bundle,
                broken.empty()
                    ? format("there is no deb and no wheel that could be installed")
                    : format("there is no deb and no wheel that could be installed: {}", broken),
                "`topsctl inspect` shows what the files are");
  }
  find_needs(packages);
  find_optional(packages.all);
  sort_by_needs(packages.all);
  for (DraftPackage& each : packages.all) {
    const auto index =
        static_cast<std::size_t>(each.package - inspection.inventory.packages.data());
    const auto contents = inspection.contents.find(index);
    if (contents != inspection.contents.end()) {
      find_libraries(contents->second, each, packages.inexpressible);
      each.texts = contents->second.texts;
    }
    find_programs(each, packages.inexpressible);
    find_module(each);
  }
  find_missing_libraries(inspection, packages);
  packages.settings = inspection.settings;
  return packages;
}

}  // namespace topsctl
