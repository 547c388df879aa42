// All facts about a host that the planner uses; tests construct them directly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/dpkg_status.hpp"

namespace topsctl {

struct InstalledDeb {
  std::string name;
  std::string version;
  std::string architecture;
  DpkgStatus status;
  std::vector<std::string> files;  // absolute paths, from the package's file list
  std::string md5sums;             // the package's md5sums file; empty if it has none
  std::vector<std::string> conffiles = {};
  std::map<std::string, std::string> conffile_md5s = {};  // as shipped, by dpkg; without obsolete
                                                          // ones
  std::string scripts = {};                               // its maintainer scripts, concatenated
  bool has_triggers = false;
  bool operator==(const InstalledDeb&) const = default;
};

struct InstalledWheel {
  std::string name;
  std::string version;
  std::string site_directory;      // directory of its dist-info
  std::string dist_info;           // name of that directory
  std::vector<std::string> files;  // as in RECORD, relative to site_directory or absolute
  std::string record;              // the RECORD file's text
  bool operator==(const InstalledWheel&) const = default;
};

// An installed distribution, with its place and a digest of its content.
struct InstalledIdentity {
  std::string name;
  std::string version;
  std::string dist_info;      // absolute path of that directory
  std::string record_sha256;  // digest of RECORD's text
  bool operator==(const InstalledIdentity&) const = default;
};

// The directories in which an interpreter installs wheels (sysconfig's install scheme); empty:
// unknown.
struct InstallScheme {
  std::string interpreter;  // as in the first line of scripts
  std::string purelib;
  std::string platlib;
  std::string scripts;
  std::string data;
  std::string headers;  // the parent of each distribution's header directory
  bool operator==(const InstallScheme&) const = default;
};

struct PythonFacts {
  std::string executable;
  std::string version;      // "3.8.10"
  std::string minor;        // "3.8"
  std::string cache_tag;    // "cpython-38"
  std::string pip_version;  // empty: no pip
  std::vector<std::string> site_directories;
  std::vector<std::string> script_directories;
  InstallScheme scheme = {};
  bool externally_managed = false;  // PEP 668
  bool in_virtual_environment = false;
  std::vector<InstalledWheel> wheels;  // only those that the stack names
  std::vector<std::string> egg_infos;  // names of distributions installed as eggs, the format
                                       // before wheels
  // Those of `egg_infos` that the stack names, possibly from Debian packages: `dist_info` is the
  // egg-info, `record` the text of its PKG-INFO.
  std::vector<InstalledWheel> eggs = {};
  bool operator==(const PythonFacts&) const = default;

  const InstalledWheel* wheel(std::string_view name) const;  // nullptr: not installed
};

struct HostFacts {
  std::string os;            // "ubuntu 20.04", from os-release
  std::string architecture;  // "amd64", dpkg's name
  std::string dpkg_version;
  bool is_root = false;
  std::map<std::string, InstalledDeb> debs;  // only those that the stack and the bundle name
  std::map<std::string, std::string>
      diversions;                              // path in packages -> diverted path (dpkg-divert(1))
  std::vector<std::string> alternative_links;  // links of update-alternatives(1)
  std::vector<std::string> trigger_paths = {};  // a file there makes dpkg run scripts of other
                                                // packages
  bool has_dpkg_overrides = false;  // dpkg's configuration runs programs or forces actions
  std::vector<std::string>
      unfinished;  // packages neither installed nor removed, anywhere in dpkg's database
  std::vector<PythonFacts> pythons;  // in the stack's order, or only the named one
  bool is_python_named = false;      // by the operator
  // Interpreters of the stack that users other than root can change: they were not run.
  std::vector<std::string> distrusted_pythons = {};
  std::map<std::string, std::string>
      files;                    // text of files that the plan may replace; absent: no such file
  std::int64_t card_nodes = 0;  // existing device nodes of the stack's accelerator
};

}  // namespace topsctl
