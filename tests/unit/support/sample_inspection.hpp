// An inspection as a value, with packages, containers and other files of a vendor's bundle.
#pragma once

#include <string>

#include "sample_packages.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

inline std::string sample_digest(char digit) {
  return std::string(64, digit);
}

inline Package inspected_deb(const std::string& name, const std::string& version, char digit) {
  Package package = sample_deb(name, version, {});
  package.sha256 = sample_digest(digit);
  package.deb.emplace();
  package.deb->maintainer = "Enflame <support@example.com>";
  return package;
}

inline Package inspected_torch(const std::string& minor, char digit) {
  Package package = sample_torch(minor);
  package.sha256 = sample_digest(digit);
  package.wheel.emplace();
  return package;
}

inline Finding sample_finding(const std::string& id, Severity severity,
                              const std::string& subject) {
  return {id,
          severity,
          "title of " + id,
          subject,
          {{"preinst", 12, "curl x | sh"}},
          "a cause",
          {"do something about it", "", Risk::none}};
}

// Two debs and two wheels in a .run file, an archived deb, other files, variables of the vendor.
inline Inspection sample_inspection() {
  Inspection inspection;
  inspection.depth = Depth::deep;
  Package eccl = inspected_deb("tops-eccl", "2.5.136-1", 'a');
  eccl.depends = {"tops-sdk (>= 2.5) | other", "libc6 (>= 2.27)"};
  eccl.deb->depends = "tops-sdk (>= 2.5) | other, libc6 (>= 2.27)";
  eccl.files = {{"/usr/lib/libeccl.so", PayloadEntry::Type::file, 6000, 0644},
                {"/usr/local/bin/eccl_all_reduce_perf", PayloadEntry::Type::file, 500, 0755},
                {"/usr/include/eccl/eccl.h", PayloadEntry::Type::file, 10, 0644}};
  Package sdk = inspected_deb("tops-sdk", "2.5.136-1", 'b');
  sdk.files = {{"/opt/tops/lib/libdtu_sdk.so", PayloadEntry::Type::file, 9000, 0644},
               {"/usr/share/doc/tops-sdk/README.md", PayloadEntry::Type::file, 20, 0644}};
  Package old = inspected_deb("tops-eccl", "2.4.0-1", 'c');
  old.path = "archived_versions/tops-eccl_2.4.0-1_amd64.deb";
  old.verdict = Verdict::archived;
  Package torch36 = inspected_torch("3.6", 'd');
  Package torch38 = inspected_torch("3.8", 'e');
  torch38.depends = {"numpy (>=1.13)"};
  inspection.inventory.packages = {eccl, sdk, old, torch36, torch38};
  for (Package& package : inspection.inventory.packages) {
    package.container = {"TopsRider.run"};
    if (package.verdict == Verdict::archived) continue;
    package.verdict = Verdict::component;
    package.stack = "topsrider-t2x";
    package.component = package.name == "tops-eccl"  ? "eccl"
                        : package.name == "tops-sdk" ? "sdk"
                                                     : "torch_gcu";
    package.chosen = true;
  }
  ContainerFile runfile;
  runfile.path = "TopsRider.run";
  runfile.kind = "runfile";
  runfile.compression = "gzip";
  runfile.size = 20000;
  runfile.sha256 = sample_digest('f');
  runfile.label = "TopsRider";
  runfile.start_script = "./install.sh";
  runfile.checksums = {"md5 ok"};
  inspection.containers = {runfile};
  inspection.others = {{"EULA.txt", {"TopsRider.run"}, 300},
                       {"scripts/train_launch.sh", {"TopsRider.run"}, 200},
                       {"docs/guide.pdf", {}, 100}};
  inspection.inventory.other_files = 3;
  inspection.settings[{"ECCL_MAX_NCHANNELS", "2"}] = 50;
  inspection.contents[0].files_checked = 3;
  inspection.contents[0].unpacked_size = 6510;
  inspection.contents[0].settings[{"ECCL_MAX_NCHANNELS", "2"}] = 4;
  inspection.contents[0].settings[{"ENFLAME_LOG_DEBUG_MOD", "ECCL,OPREG"}] = 1;
  return inspection;
}

}  // namespace topsctl
