// A target snapshot with something in every field.
#pragma once

#include "dpkg_statuses.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

inline TargetSnapshot sample_snapshot() {
  TargetSnapshot snapshot;
  snapshot.taken_at = "2026-11-20T10:15:00Z";
  snapshot.host_name = "gcu-17";
  snapshot.os = "ubuntu 20.04";
  snapshot.architecture = "amd64";
  snapshot.kernel = "5.4.0-100-generic";
  snapshot.glibc = "2.31";
  snapshot.glibcxx = "3.4.28";
  snapshot.cxxabi = "1.3.12";
  snapshot.dpkg_version = "1.19.7ubuntu3.2";
  snapshot.dpkg_compressions = {"gzip", "xz", "zstd"};
  TargetPackage bash{"bash",
                     "5.0-6ubuntu1.2",
                     "amd64",
                     dpkg_status("install ok installed"),
                     "foreign",
                     true,
                     "libc6 (>= 2.15), base-files (>= 2.1.12)",
                     "sh",
                     "a (<< 1)",
                     "b",
                     "c",
                     {"/etc/bash.bashrc", "/etc/skel/.profile"},
                     {"/etc/skel/.profile"}};
  TargetPackage gone;
  gone.name = "gone";
  gone.status = dpkg_status("deinstall ok config-files");
  snapshot.packages = {bash, gone};
  snapshot.owners = {{"/bin/bash", {"bash"}},
                     {"/initrd", {"linux"}},
                     {"/usr/share/doc/a\xff\xc3\xa9", {"a"}},
                     {"/usr/share/doc/\xe4\xb8\xad", {"a"}},
                     {"/usr/share/doc/shared", {"a", "b"}},
                     {"/usr/share/doc/x/y", {"b"}},
                     {"/usr/share/doc/z", {"a"}}};
  snapshot.diversions = {{"/bin/sh", "/bin/sh.distrib", ":"}};
  snapshot.libraries = {{"libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6"}};
  PythonFacts python;
  python.executable = "/usr/bin/python3";
  python.version = "3.8.10";
  python.minor = "3.8";
  python.cache_tag = "cpython-38";
  python.pip_version = "20.0.2";
  python.site_directories = {"/usr/local/lib/python3.8/dist-packages"};
  python.script_directories = {"/usr/local/bin"};
  python.externally_managed = true;
  InstalledWheel numpy;
  numpy.name = "numpy";
  numpy.version = "1.17.4";
  InstalledWheel nameless = numpy;
  nameless.name = "odd";
  nameless.version.clear();
  python.wheels = {numpy, nameless};
  python.egg_infos = {"numpy"};
  snapshot.pythons = {python};
  snapshot.mounts = {{"/", "ext4", false, 1000, 20, true}, {"/opt", "btrfs", true, 5, 0, false}};
  return snapshot;
}

}  // namespace topsctl
