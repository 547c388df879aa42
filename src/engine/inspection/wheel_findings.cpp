// Findings on the tags and the version of wheels.
#include "engine/inspection/wheel_findings.hpp"

#include <algorithm>
#include <set>

#include "engine/inspection/wheel_hazards.hpp"
#include "topsctl/base/python_version.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/evidence_list.hpp"
#include "topsctl/model/finding_catalogue.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace {

// "py3.8": PEP 425 reads it as the set of py3 and 8.
bool is_trap(std::string_view python_tag) {
  return python_tag.size() > 4 && (python_tag.starts_with("py") || python_tag.starts_with("cp")) &&
         python_tag[3] == '.' && is_digits(python_tag.substr(2, 1)) &&
         is_digits(python_tag.substr(4));
}

std::string python_tag(std::string_view tag) {
  return std::string(tag.substr(0, tag.find('-')));
}

using PythonTags = std::vector<std::string> (*)(const std::string& tag);

// The vendor's meaning: "py3.8" is one tag.
std::vector<std::string> as_meant(const std::string& python) {
  return is_trap(python) ? std::vector<std::string>{python} : split(python, '.');
}
// The tags as pip interprets them, and as the usual tools list them in WHEEL files.
std::vector<std::string> as_pip_reads(const std::string& python) {
  return split(python, '.');
}

// A tag set of PEP 425 as its single tags.
std::set<std::string> expanded(const std::vector<std::string>& tags, PythonTags python_tags) {
  std::set<std::string> all;
  for (const std::string& tag : tags) {
    const std::vector<std::string> parts = split(tag, '-');
    if (parts.size() != 3) continue;
    for (const std::string& python : python_tags(parts[0])) {
      for (const std::string& abi : split(parts[1], '.')) {
        for (const std::string& platform : split(parts[2], '.')) {
          all.insert(concat(python, "-", abi, "-", platform));
        }
      }
    }
  }
  return all;
}

// "3.8" for "x.cpython-38-x86_64-linux-gnu.so" or "x.cp38-win.so"; empty if the name has no
// version, or has abi3, which fits later versions too.
std::string minor_of_extension(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  for (const std::string_view mark : {".cpython-", ".cp"}) {
    const auto at = name.find(mark);
    if (at == std::string::npos) continue;
    const std::string digits =
        name.substr(at + mark.size(),
                    name.find_first_not_of("0123456789", at + mark.size()) - at - mark.size());
    if (digits.size() >= 2) return concat(digits.substr(0, 1), ".", digits.substr(1));
  }
  return "";
}

void judge_tags(const Package& package, std::vector<Finding>& findings) {
  const WheelFacts& wheel = *package.wheel;
  EvidenceList trap;
  for (const std::string& tag : wheel.file_tags) {
    const std::string python = python_tag(tag);
    if (is_trap(python)) {
      trap.add("file name",
               format("tag {}: pip reads it as {} and {}, and installs it for any Python {}",
                      python, python.substr(0, 3), python.substr(4), python.substr(2, 1)));
    }
  }
  if (!trap.is_empty()) {
    findings.push_back(make_finding("wheel-tag-trap", package.path, trap.pieces()));
  }
  if (wheel.wheel_tags.empty()) return;
  const auto are_the_same = [&](PythonTags reading) {
    return expanded(wheel.file_tags, reading) == expanded(wheel.wheel_tags, reading);
  };
  if (!are_the_same(as_meant) && !are_the_same(as_pip_reads)) {
    EvidenceList evidence;
    evidence.add("file name", joined(wheel.file_tags, " "));
    evidence.add("WHEEL", joined(wheel.wheel_tags, " "));
    findings.push_back(make_finding("wheel-tags-differ", package.path, evidence.pieces()));
  }
}

void judge_extensions(const Package& package, const Contents& contents,
                      std::vector<Finding>& findings) {
  EvidenceList other_minor;
  EvidenceList native;
  const bool is_pure = package.architecture == "any";
  for (const ElfFile& file : contents.elf_files) {
    const std::string minor = minor_of_extension(file.path);
    if (!minor.empty() && package.python && package.python->minor &&
        *package.python->minor != minor) {
      other_minor.add(file.path, format("built for Python {}, the wheel is for {}", minor,
                                        *package.python->minor));
    }
    if (is_pure) native.add(file.path, format("for {}", file.facts.machine));
  }
  if (!other_minor.is_empty()) {
    findings.push_back(make_finding("python-abi-differs", package.path, other_minor.pieces()));
  }
  if (!native.is_empty()) {
    findings.push_back(make_finding("native-code-in-pure-wheel", package.path, native.pieces()));
  }
}

// File names escape characters that PEP 427 does not allow in them.
bool is_same_version(const std::string& named, const std::string& listed) {
  if (is_pep440_version(named) && is_pep440_version(listed)) {
    return compare_python_versions(named, listed) == 0;
  }
  return normalized_name(named) == normalized_name(listed);
}

// pip compares the version without the build tag, and rejects one that differs from METADATA's.
void judge_name(const Package& package, std::vector<Finding>& findings) {
  const WheelFacts& wheel = *package.wheel;
  if (wheel.file_name.empty() || package.name.empty()) return;
  EvidenceList evidence;
  if (normalized_name(wheel.file_name) != normalized_name(package.name)) {
    evidence.add("file name", format("name {}", wheel.file_name));
    evidence.add("METADATA", format("Name: {}", package.name));
  }
  // "1.10.0-2.5.136", as the vendor writes it, is a version and a build tag only for PEP 427.
  const std::string with_build =
      wheel.build.empty() ? wheel.file_version : concat(wheel.file_version, "-", wheel.build);
  if (!is_same_version(wheel.file_version, package.version) &&
      !is_same_version(with_build, package.version)) {
    evidence.add("file name", format("version {}{}{}", wheel.file_version,
                                     wheel.build.empty() ? "" : ", build tag ", wheel.build));
    evidence.add("METADATA", format("Version: {}", package.version));
  }
  if (!evidence.is_empty()) {
    findings.push_back(make_finding("wheel-name-differs", package.path, evidence.pieces()));
  }
}

}  // namespace

std::vector<Finding> wheel_findings(const Package& package, const Contents* contents) {
  std::vector<Finding> findings;
  if (package.wheel) {
    judge_name(package, findings);
    judge_tags(package, findings);
  }
  if (!package.version.empty() && !is_pep440_version(package.version)) {
    EvidenceList evidence;
    evidence.add("METADATA", format("Version: {}", package.version));
    findings.push_back(make_finding("wheel-version-not-pep440", package.path, evidence.pieces()));
  }
  if (contents != nullptr) judge_extensions(package, *contents, findings);
  for (Finding& finding : wheel_hazards(package)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace topsctl
