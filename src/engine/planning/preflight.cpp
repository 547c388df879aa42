// Compares a selection with the host, and reports all reasons against it at once.
#include "topsctl/engine/planning/preflight.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/package_findings.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/filesystem/canonical_paths.hpp"
#include "topsctl/host/filesystem/file_state.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_told = 8;

bool is_refused(const Finding& finding, const std::set<std::string>& accepted) {
  return finding.severity >= Severity::error && !accepted.contains(finding.id);
}

Inspection inspection_of(const Selection& selection, std::vector<Contents> contents) {
  Inspection inspection;
  inspection.depth = Depth::deep;
  inspection.inventory.packages = selection.packages;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    inspection.contents.emplace(i, std::move(contents[i]));
  }
  return inspection;
}

// Directories with libraries of the stack's installed packages: its environment file adds them to
// the loader's path.
std::vector<std::string> folders_of_stack(const TargetSnapshot& target,
                                          const std::set<std::string>& names) {
  std::set<std::string> folders;
  for (const auto& [path, owners] : target.owners) {
    if (path.find(".so") == std::string::npos) continue;
    const bool is_of_stack =
        std::any_of(owners.begin(), owners.end(),
                    [&](const std::string& owner) { return names.contains(owner); });
    if (is_of_stack) folders.insert(fs::path(path).parent_path().string());
  }
  return {folders.begin(), folders.end()};
}

CompatibilityRules rules_for(const Stack& stack, const Selection& selection,
                             const TargetSnapshot& target) {
  CompatibilityRules rules;
  std::set<std::string> names;
  for (const Component& component : stack.components) {
    rules.component_order.push_back(component.id);
    names.insert(component.names.begin(), component.names.end());
  }
  rules.companions = companions_of(stack);
  rules.fixed = fixed_distributions(stack);
  rules.library_folders = folders_of_stack(target, names);
  for (const Package& package : selection.packages) rules.staged_bytes += package.size;
  return rules;
}

LoadedFiles loaded_by(const Inspection& inspection, bool may_be_open) {
  LoadedFiles loaded;
  loaded.may_be_open = may_be_open;
  const std::vector<Package>& packages = inspection.inventory.packages;
  for (const auto& [index, contents] : inspection.contents) {
    const Package& package = packages[index];
    if (package.kind == PackageKind::deb && package.files)
      loaded.of_debs[package.name] = loaded_files(package, &contents);
  }
  return loaded;
}

// Shared directories (FHS 3.0), even if only one package has files in them.
bool is_common_folder(const std::string& folder) {
  const fs::path path(folder);
  const std::string parent = path.parent_path().string();
  if (parent == "/" || parent == "/usr" || parent == "/usr/local" || parent == "/var" ||
      parent == "/var/lib/dpkg") {
    return true;
  }
  const bool is_shared = parent == "/usr/lib" || parent == "/usr/local/lib" || parent == "/lib";
  return is_shared && path.filename().string().find("-linux-") != std::string::npos;
}

std::set<std::string> payload_folders(const Selection& selection) {
  std::set<std::string> folders;
  for (const Package& package : selection.packages) {
    if (package.kind != PackageKind::deb || !package.files) continue;
    for (const PayloadEntry& entry : *package.files) {
      if (entry.type == PayloadEntry::Type::directory) folders.insert(entry.path);
      for (fs::path folder = fs::path(entry.path).parent_path();
           folder != "/" && folders.insert(folder.string()).second;) {
        folder = folder.parent_path();
      }
    }
  }
  return folders;
}

std::set<std::string> stack_packages(const Stack& stack, const Selection& selection) {
  std::set<std::string> names;
  for (const Component& component : stack.components) {
    names.insert(component.names.begin(), component.names.end());
  }
  for (const Package& package : selection.packages) {
    names.insert(package.name);
    names.insert(package.displaces.begin(), package.displaces.end());
  }
  return names;
}

// Whether a finding blocks that no --accept overrides.
bool has_final_fault(const Selection& selection, const std::vector<Finding>& faults) {
  return std::any_of(faults.begin(), faults.end(), [&](const Finding& fault) {
    if (!is_final_for_wheels(fault.id)) return false;
    return std::any_of(selection.packages.begin(), selection.packages.end(),
                       [&](const Package& package) {
                         return package.kind == PackageKind::wheel && package.path == fault.subject;
                       });
  });
}

}  // namespace

std::string line_of(const Finding& finding) {
  std::string line = concat(finding.id, ": ", finding.title);
  if (!finding.subject.empty()) line += concat(": ", printable(finding.subject));
  if (!finding.evidence.empty()) {
    const Evidence& first = finding.evidence.front();
    line += concat(" (", printable(first.source), first.text.empty() ? "" : ": ",
                   printable(first.text), ")");
  }
  return line;
}

std::optional<Error> refusal_of(const std::vector<Finding>& findings,
                                const std::set<std::string>& accepted, ErrorCode code,
                                Acceptance acceptance) {
  std::vector<std::string> lines;
  const Finding* first = nullptr;
  for (const Finding& finding : findings) {
    if (!is_refused(finding, accepted)) continue;
    if (first == nullptr) first = &finding;
    lines.push_back(line_of(finding));
  }
  if (first == nullptr) return std::nullopt;
  const std::size_t count = lines.size();
  if (count > most_told) {
    lines.resize(most_told);
    lines.push_back(format("and {} more", count - most_told));
  }
  std::string message =
      count == 1 ? format("preflight checks failed: {}", lines.front())
                 : format("preflight checks failed: {} findings\n{}", count, joined(lines, "\n"));
  if (acceptance == Acceptance::impossible) {
    return Error(code, std::move(message),
                 format("{} `topsctl inspect BUNDLE --deep` shows everything", first->remedy.text));
  }
  return Error(code, std::move(message),
               format("{} `topsctl inspect BUNDLE --deep --against ROOT` shows everything; {} "
                      "proceeds at your own risk",
                      first->remedy.text,
                      first->id == downgrade_finding ? std::string("--allow-downgrade")
                                                     : format("--accept {}", first->id)));
}

std::vector<std::string> own_folders(
    const std::set<std::string>& folders, const std::set<std::string>& packages,
    const std::map<std::string, std::vector<std::string>>& owners) {
  const auto are_ours = [&](const std::vector<std::string>& names) {
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return packages.contains(name); });
  };
  std::vector<std::string> own;
  for (const std::string& folder : folders) {
    if (is_common_folder(folder)) continue;
    const auto itself = owners.find(folder);
    bool is_own = itself == owners.end() || are_ours(itself->second);
    const std::string below = concat(folder, "/");
    for (auto at = owners.lower_bound(below);
         is_own && at != owners.end() && at->first.starts_with(below); ++at) {
      is_own = are_ours(at->second);
    }
    if (is_own) own.push_back(folder);
  }
  return own;
}

Preflight preflight(TargetSnapshot target, const Stack& stack, const Selection& selection,
                    std::vector<Contents> contents, std::vector<Finding> faults,
                    const std::set<std::string>& accepted, std::uint64_t staged_bytes,
                    std::vector<Finding> clashes, std::uint64_t kept_bytes) {
  if (selection.python != nullptr) target.pythons = {*selection.python};
  std::vector<std::size_t> all(selection.packages.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  CompatibilityRules rules = rules_for(stack, selection, target);
  rules.staged_bytes += kept_bytes - staged_bytes;
  const Inspection inspection = inspection_of(selection, std::move(contents));
  CompatibilityReport fit = fit_of(inspection, all, target, rules);
  // Findings that do not block are reported by inspect.
  std::erase_if(faults, [](const Finding& finding) { return !is_refused(finding, {}); });
  fit.findings.insert(fit.findings.end(), faults.begin(), faults.end());
  std::move(clashes.begin(), clashes.end(), std::back_inserter(fit.findings));
  sort_findings(fit.findings);
  std::set<std::string> counting = accepted;
  const bool is_final = has_final_fault(selection, faults);
  if (is_final) std::erase_if(counting, is_final_for_wheels);
  const bool is_package_bad =
      std::any_of(faults.begin(), faults.end(),
                  [&](const Finding& finding) { return is_refused(finding, counting); });
  const auto refusal = refusal_of(fit.findings, counting,
                                  is_package_bad ? ErrorCode::bad_package : ErrorCode::host_unfit,
                                  is_final ? Acceptance::impossible : Acceptance::possible);
  if (refusal) throw *refusal;
  std::vector<std::string> own =
      own_folders(payload_folders(selection), stack_packages(stack, selection), target.owners);
  return {std::move(fit), std::move(own), loaded_by(inspection, accepted.contains(open_finding))};
}

void require_changeable(const Host& host, const WriteSet& write_set) {
  // Whether it exists.
  const auto require = [&](const std::string& path) {
    const std::string real = host.join_canonical_text(path);
    const Immutability found = immutability(real);
    if (found != Immutability::immutable) return found != Immutability::absent;
    throw Error(ErrorCode::host_unfit,
                format("{}: {} must be changed but is write-protected (chattr)", protected_finding,
                       in_quotes(path)),
                format("check `lsattr -d {}`, and clear the attribute with `chattr -ia {}` if that "
                       "is intended",
                       shell_quoted(real), shell_quoted(real)));
  };
  CanonicalPaths canonical(host.root);
  std::map<std::string, std::set<std::string>> by_folder;
  for (const std::string& each : write_set.paths) {
    std::string path = canonical.of(each);
    by_folder[fs::path(path).parent_path().string()].insert(std::move(path));
  }
  for (const PathFamily& family : write_set.families) by_folder[family.directory];
  std::vector<const decltype(by_folder)::value_type*> folders;
  for (const auto& each : by_folder) folders.push_back(&each);
  // A missing directory has no files.
  for_each_index(
      folders.size(),
      [&](std::size_t i) {
        const auto& [folder, paths] = *folders[i];
        if (require(folder)) std::for_each(paths.begin(), paths.end(), require);
      },
      disk_threads);
}

std::vector<std::string> odd_host_warnings(const Host& host) {
  struct stat status {};
  if (::stat(host.resolve(dpkg_status_file).c_str(), &status) != 0) return {};
  const auto now = std::chrono::system_clock::to_time_t(host.clock->now());
  constexpr std::int64_t day_s = 24 * 3600;
  const std::int64_t behind = (status.st_mtim.tv_sec - now) / day_s;
  if (behind < 1) return {};
  return {format(
      "the clock is {} behind the last change of the dpkg database: times in reports will be wrong",
      counted(static_cast<std::size_t>(behind), "day"))};
}

}  // namespace topsctl
