// A bundle and a target as values, for tests of how one fits the other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sample_packages.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

class SampleCompatibility : public testing::Test {
 protected:
  SampleCompatibility() {
    target_.architecture = "amd64";
    target_.glibc = "2.31";
    target_.glibcxx = "3.4.28";
    target_.cxxabi = "1.3.12";
    target_.dpkg_version = "1.19.7";
    target_.dpkg_compressions = {"gzip", "xz"};
    target_.libraries = {{"libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6"},
                         {"libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"}};
  }

  // The reference holds until the next deb or wheel is added.
  Package& deb(const std::string& name, const std::string& version,
               const std::vector<std::string>& files = {}) {
    Package package = sample_deb(name, version, files);
    package.deb.emplace();
    package.deb->compression = "xz";
    package.chosen = true;
    inspection_.inventory.packages.push_back(std::move(package));
    return inspection_.inventory.packages.back();
  }

  Package& wheel(const std::string& name, const std::string& version, const std::string& tag,
                 std::optional<std::string> minor = std::nullopt) {
    Package package;
    package.kind = PackageKind::wheel;
    package.name = name;
    package.version = version;
    package.path = concat("wheels/", name, "-", version, "-", tag, ".whl");
    package.architecture = "any";
    package.python = PythonNeeds{"", {tag}, std::move(minor)};
    package.size = 1000;
    package.chosen = true;
    package.files.emplace();
    inspection_.inventory.packages.push_back(std::move(package));
    return inspection_.inventory.packages.back();
  }

  // The reference holds until the next is added.
  TargetPackage& installed(const std::string& name, const std::string& version,
                           const std::vector<std::string>& files = {}) {
    TargetPackage package;
    package.name = name;
    package.version = version;
    package.architecture = "amd64";
    package.status = dpkg_status("install ok installed");
    for (const std::string& file : files) target_.owners[file].push_back(name);
    target_.packages.push_back(std::move(package));
    return target_.packages.back();
  }

  // An ELF file of the package that was added last.
  ElfFile& elf(const std::string& path, const std::vector<std::string>& needed,
               const std::string& soname = "") {
    inspection_.depth = Depth::deep;
    std::vector<Package>& packages = inspection_.inventory.packages;
    packages.back().files->push_back({path, PayloadEntry::Type::file, 100});
    Contents& contents = inspection_.contents[packages.size() - 1];
    ElfFile file{path, {}};
    file.facts.machine = "x86-64";
    file.facts.type = "shared";
    file.facts.soname = soname;
    file.facts.needed = needed;
    contents.elf_files.push_back(std::move(file));
    return contents.elf_files.back();
  }

  CompatibilityReport fit() const {
    return fit_of(inspection_, packages_to_fit(inspection_.inventory), target_, rules_);
  }

  // "id subject" of each finding, in their order.
  std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (const Finding& finding : fit().findings) {
      ids.push_back(concat(finding.id, " ", finding.subject));
    }
    return ids;
  }

  // The first finding of that id; the test fails if there is none.
  Finding finding(const std::string& id) const {
    for (const Finding& finding : fit().findings) {
      if (finding.id == id) return finding;
    }
    ADD_FAILURE() << "no finding " << id;
    return {};
  }

  // Its evidence, as "source: text".
  std::vector<std::string> evidence(const std::string& id) const {
    std::vector<std::string> lines;
    for (const Evidence& piece : finding(id).evidence) {
      lines.push_back(concat(piece.source, ": ", piece.text));
    }
    return lines;
  }

  // Names in the order of installation, "then" between two calls of dpkg.
  std::vector<std::string> order() const {
    std::vector<std::string> names;
    for (const std::vector<std::size_t>& call : fit().install_calls) {
      if (!names.empty()) names.push_back("then");
      for (const std::size_t index : call) {
        names.push_back(inspection_.inventory.packages[index].name);
      }
    }
    return names;
  }

  Inspection inspection_;
  TargetSnapshot target_;
  CompatibilityRules rules_;
};

}  // namespace topsctl
