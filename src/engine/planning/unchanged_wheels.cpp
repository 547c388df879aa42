// Protects distributions from the wheels of a stack, and records their identities.
#include "topsctl/engine/planning/unchanged_wheels.hpp"

#include <algorithm>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/python/wheel_layout.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& other) {
    return normalized_name(other) == normalized_name(name);
  });
}

[[noreturn]] void refuse(const Package& package, const std::string& name, const std::string& what) {
  throw Error(
      ErrorCode::bad_package,
      format("{}: {} would change {}, which the stack leaves unchanged: {}", untouched_finding,
             in_quotes(package.path), in_quotes(name), what),
      format("use a wheel without it, or a stack file whose python.unchanged does not list {}",
             name));
}

// "torch/x", "torch.py" and "torch-1.10.0.dist-info/x", even if torch is not installed.
bool is_place_of(const std::string& path, const std::string& name) {
  const std::string top = path.substr(0, path.find('/'));
  std::string module = normalized_name(name);
  std::replace(module.begin(), module.end(), '-', '_');
  return top == module || top.starts_with(module + ".") || is_info_of(top, name);
}

void require_untouched(const Package& package, const std::string& name, const PythonFacts& python) {
  if (normalized_name(package.name) == normalized_name(name)) {
    refuse(package, name, "it is the same distribution");
  }
  std::set<std::string> own;
  const InstalledWheel* installed = python.wheel(name);
  if (installed != nullptr) {
    for (const std::string& file : installed->files) own.insert(recorded_path(*installed, file));
  }
  for (const PayloadEntry& entry : *package.files) {
    const bool is_owned =
        installed != nullptr && own.contains(concat(installed->site_directory, "/", entry.path));
    if (is_place_of(entry.path, name) || is_owned) {
      refuse(package, name, format("it contains {}", in_quotes(printable(entry.path))));
    }
  }
  for (const std::string& script : package.scripts) {
    for (const std::string& folder : python.script_directories) {
      if (!own.contains(concat(folder, "/", script))) continue;
      refuse(package, name, format("it contains the command {}", in_quotes(script)));
    }
  }
}

}  // namespace

std::vector<InstalledIdentity> identities_of(const PythonFacts& python,
                                             const std::vector<std::string>& names) {
  std::vector<InstalledIdentity> identities;
  for (const auto* installed : {&python.wheels, &python.eggs}) {
    for (const InstalledWheel& wheel : *installed) {
      if (!is_one_of(wheel.name, names)) continue;
      identities.push_back({wheel.name, wheel.version,
                            concat(wheel.site_directory, "/", wheel.dist_info),
                            sha256_of(wheel.record)});
    }
  }
  const auto by_folder = [](const auto& a, const auto& b) { return a.dist_info < b.dist_info; };
  std::sort(identities.begin(), identities.end(), by_folder);
  return identities;
}

void require_untouched(const Stack& stack, const Selection& selection) {
  if (selection.python == nullptr) return;
  for (const Package& package : selection.packages) {
    if (package.kind != PackageKind::wheel || !package.files) continue;
    for (const std::string& name : stack.python.unchanged) {
      require_untouched(package, name, *selection.python);
    }
  }
}

CompareWheels comparison_of(const Stack& stack, const PythonFacts& python) {
  return {stack.python.unchanged, identities_of(python, stack.python.unchanged),
          python.site_directories};
}

}  // namespace topsctl
