// All that the planner may know of a machine; tests write it by hand.
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
  std::string md5sums;             // the package's md5sums file; empty if there is none
  std::vector<std::string> conffiles = {};
  std::map<std::string, std::string> conffile_md5s = {};  // as dpkg brought them; no obsolete ones
  std::string scripts = {};  // the text of its maintainer scripts, one after the other
  bool has_triggers = false;
  bool operator==(const InstalledDeb&) const = default;
};

struct InstalledWheel {
  std::string name;
  std::string version;
  std::string site_directory;      // where its dist-info lies
  std::string dist_info;           // name of that folder
  std::vector<std::string> files;  // as RECORD has them, relative to site_directory or absolute
  std::string record;              // the RECORD file's text
  bool operator==(const InstalledWheel&) const = default;
};

// Which distribution is installed where, and of which content.
struct InstalledIdentity {
  std::string name;
  std::string version;
  std::string dist_info;      // absolute path of that folder
  std::string record_sha256;  // digest of RECORD's text
  bool operator==(const InstalledIdentity&) const = default;
};

// Where an interpreter has wheels installed (sysconfig's install scheme); empty: not known.
struct InstallScheme {
  std::string interpreter;  // as the first line of scripts names it
  std::string purelib;
  std::string platlib;
  std::string scripts;
  std::string data;
  std::string headers;  // the folder in which each distribution has one
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
  std::vector<InstalledWheel> wheels;  // only those that the stack speaks of
  std::vector<std::string> egg_infos;  // names of those that are there in the form before wheels
  // Of the names that the stack speaks of, those of `egg_infos`, which dpkg's packages may have
  // brought: `dist_info` is the egg-info, `record` the text of its PKG-INFO.
  std::vector<InstalledWheel> eggs = {};
  bool operator==(const PythonFacts&) const = default;

  const InstalledWheel* wheel(std::string_view name) const;  // nullptr: not installed
};

struct HostFacts {
  std::string os;            // "ubuntu 20.04", from os-release
  std::string architecture;  // "amd64", dpkg's name
  std::string dpkg_version;
  bool is_root = false;
  std::map<std::string, InstalledDeb> debs;  // only those that the stack and the bundle speak of
  std::map<std::string, std::string>
      diversions;  // path as packages have it -> where dpkg puts it (dpkg-divert(1))
  std::vector<std::string> alternative_links;   // of update-alternatives(1)
  std::vector<std::string> trigger_paths = {};  // a file there makes dpkg run scripts of others
  bool has_dpkg_overrides = false;  // dpkg's configuration has it run programs, or forces things
  std::vector<std::string>
      unfinished;  // packages neither installed nor gone, anywhere in dpkg's database
  std::vector<PythonFacts> pythons;  // in the stack's order, or the one that was named
  bool is_python_named = false;      // by the operator
  // Interpreters that a stack names and that others than root can change: they were not asked.
  std::vector<std::string> distrusted_pythons = {};
  std::map<std::string, std::string>
      files;  // text of files the plan may replace; absent: no such file
  std::int64_t card_nodes =
      0;  // device nodes of the stack's accelerator, of those that there should be
};

}  // namespace topsctl
