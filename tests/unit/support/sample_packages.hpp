// A bundle and a machine as values, written by hand for the planner.
#pragma once

#include <string>
#include <vector>

#include "dpkg_statuses.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

inline Package sample_deb(const std::string& name, const std::string& version,
                          const std::vector<std::string>& files) {
  Package package;
  package.path = "deb/" + name + "_" + version + "_amd64.deb";
  package.location = "/bundle/" + package.path;
  package.kind = PackageKind::deb;
  package.name = name;
  package.version = version;
  package.architecture = "amd64";
  package.size = 1000;
  package.sha256 = "sha256 of " + name + " " + version;
  package.files.emplace();
  for (const std::string& file : files) {
    package.files->push_back({file, PayloadEntry::Type::file, 1});
    package.md5sums += "md5 of " + version + "  " + file.substr(1) + "\n";
  }
  return package;
}

inline Package sample_torch(const std::string& minor) {
  Package package;
  package.path = "wheels/torch_gcu-1.10.0+2.5.136-py" + minor + "-none-any.whl";
  package.location = "/bundle/" + package.path;
  package.kind = PackageKind::wheel;
  package.name = "torch_gcu";
  package.version = "1.10.0+2.5.136";
  package.architecture = "any";
  package.python = PythonNeeds{"", {"py" + minor + "-none-any"}, minor};
  package.wheel = WheelFacts{};
  package.wheel->file_name = "torch_gcu";
  package.wheel->dist_info = "torch_gcu-1.10.0+2.5.136.dist-info";
  package.size = 2000;
  package.sha256 = "sha256 of torch_gcu for " + minor;
  package.record = "torch_gcu/__init__.py,sha256=init-" + minor + ",1\n" +
                   "torch_gcu-1.10.0+2.5.136.dist-info/RECORD,,\n";
  package.files = {{"torch_gcu/__init__.py", PayloadEntry::Type::file, 1},
                   {"torch_gcu/lib/core.so", PayloadEntry::Type::file, 1},
                   {"torch_gcu-1.10.0+2.5.136.dist-info/RECORD", PayloadEntry::Type::file, 1}};
  package.scripts = {"torch-info"};
  return package;
}

// The bundle of the sample stack, wheels for two Python versions.
inline Inventory sample_inventory() {
  Inventory inventory;
  inventory.packages = {
      sample_deb("tops-eccl", "2.5.136-1",
                 {"/usr/lib/libeccl.so", "/usr/local/bin/eccl_all_reduce_perf"}),
      sample_deb("tops-sdk", "2.5.136-1", {"/opt/tops/lib/libdtu_sdk.so"}),
      sample_deb("topsfactor", "2.5.136-1", {"/usr/bin/topsfactor"}),
      sample_torch("3.6"),
      sample_torch("3.8"),
  };
  return inventory;
}

inline PythonFacts sample_python(const std::string& minor) {
  PythonFacts python;
  python.executable = "/usr/bin/python" + minor;
  python.version = minor + ".10";
  python.minor = minor;
  python.cache_tag = "cpython-" + minor.substr(0, 1) + minor.substr(2);
  python.pip_version = "20.0.2";
  python.site_directories = {"/usr/local/lib/python" + minor + "/dist-packages"};
  python.script_directories = {"/usr/local/bin"};
  python.scheme = {python.executable,
                   python.site_directories.front(),
                   python.site_directories.front(),
                   "/usr/local/bin",
                   "/usr/local",
                   "/usr/local/include/python" + minor};
  return python;
}

inline HostFacts sample_facts() {
  HostFacts facts;
  facts.os = "ubuntu 20.04";
  facts.architecture = "amd64";
  facts.dpkg_version = "1.19.7";
  facts.is_root = true;
  facts.pythons = {sample_python("3.8")};
  return facts;
}

// The deb as it would be found on a machine that has it.
inline InstalledDeb installed(const Package& package) {
  InstalledDeb deb{
      package.name, package.version, package.architecture, dpkg_status("install ok installed"),
      {"/."},       package.md5sums};
  for (const PayloadEntry& entry : *package.files) deb.files.push_back(entry.path);
  return deb;
}

inline InstalledWheel installed(const Package& package, const PythonFacts& python) {
  InstalledWheel wheel;
  wheel.name = package.name;
  wheel.version = package.version;
  wheel.site_directory = python.site_directories.front();
  wheel.dist_info = "torch_gcu-1.10.0+2.5.136.dist-info";
  wheel.record = package.record + "torch_gcu-1.10.0+2.5.136.dist-info/INSTALLER,sha256=pip,4\n";
  for (const PayloadEntry& entry : *package.files) wheel.files.push_back(entry.path);
  wheel.files.push_back("../../../bin/torch-info");
  return wheel;
}

}  // namespace topsctl
