// Checks each destination of a wheel's files.
#include "topsctl/engine/planning/wheel_clashes.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/evidence_list.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/python/wheel_places.hpp"
#include "topsctl/model/finding_catalogue.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::set<std::string> wheel_target_paths(const Package& wheel, const InstallScheme& scheme) {
  std::set<std::string> paths;
  for (const PayloadEntry& entry : *wheel.files) {
    const WheelPlace place = place_of(entry.path, wheel, scheme);
    if (entry.type != PayloadEntry::Type::directory && !place.relative.empty())
      paths.insert(fs::path(place.path()).lexically_normal().string());
  }
  for (const std::string& script : wheel.scripts) paths.insert(concat(scheme.scripts, "/", script));
  return paths;
}

bool is_file_there(const Host& host, const std::string& path) {
  struct stat status {};
  return ::lstat(host.resolve_parent(path).c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

// The program that the default PATH finds now; empty: none.
std::string shadowed_program(const Host& host, const std::string& path) {
  const fs::path file(path);
  const std::string folder = file.parent_path().string();
  if (folder != "/usr/local/bin" && folder != "/usr/local/sbin") return {};
  for (const char* system : {"/usr/sbin", "/usr/bin", "/sbin", "/bin"}) {
    std::string program = concat(system, "/", file.filename().string());
    if (is_file_there(host, program)) return program;
  }
  return {};
}

class WheelClashSearch {
 public:
  WheelClashSearch(const Host& host, const PythonFacts& python,
                   const std::map<std::string, std::vector<std::string>>& owners)
      : host_(host), python_(python), debs_(owners) {}

  void search(const Package& wheel, std::vector<Finding>& findings) {
    std::set<std::string> own;
    for (const InstalledWheel& installed : python_.wheels) {
      if (normalized_name(installed.name) != normalized_name(wheel.name)) continue;
      for (const std::string& file : installed.files) own.insert(recorded_path(installed, file));
    }
    EvidenceList shadowing;
    std::set<std::string> taken;
    for (const std::string& path : wheel_target_paths(wheel, python_.scheme)) {
      if (const std::string program = shadowed_program(host_, path); !program.empty())
        shadowing.add(path, format("would run instead of {}", program));
      if (!own.contains(path) && is_file_there(host_, path)) taken.insert(path);
    }
    EvidenceList owned;
    EvidenceList unowned;
    judge_owners(wheel, taken, owned, unowned);
    const auto report = [&](const char* id, const EvidenceList& evidence) {
      if (!evidence.is_empty()) findings.push_back(make_finding(id, wheel.path, evidence.pieces()));
    };
    report("shadows-system-program", shadowing);
    report("wheel-file-conflict", owned);
    report("wheel-replaces-file", unowned);
  }

 private:
  void judge_owners(const Package& wheel, const std::set<std::string>& taken, EvidenceList& owned,
                    EvidenceList& unowned) const {
    if (taken.empty()) return;
    const auto distributions = distributions_that_own(host_, python_, taken);
    for (const std::string& path : taken) {
      const auto distribution = distributions.find(path);
      const auto deb = debs_.find(path);
      if (deb != debs_.end()) {
        owned.add(path, format("belongs to {}", joined(deb->second, ", ")));
      } else if (distribution == distributions.end()) {
        unowned.add(path, "");
      } else if (normalized_name(distribution->second) != normalized_name(wheel.name)) {
        owned.add(path, format("belongs to {}", distribution->second));
      }
    }
  }

  const Host& host_;
  const PythonFacts& python_;
  const std::map<std::string, std::vector<std::string>>& debs_;
};

}  // namespace

std::vector<Finding> wheel_clashes(const Host& host, const Selection& selection,
                                   const std::map<std::string, std::vector<std::string>>& owners) {
  std::vector<Finding> findings;
  if (selection.python == nullptr || selection.python->scheme.purelib.empty()) return findings;
  WheelClashSearch search(host, *selection.python, owners);
  for (const Package& package : selection.packages) {
    if (package.kind == PackageKind::wheel && package.wheel && package.files)
      search.search(package, findings);
  }
  return findings;
}

}  // namespace topsctl
