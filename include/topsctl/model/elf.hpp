// What an ELF file says of itself, as far as it decides whether the file works on a machine.
#pragma once

#include <string>
#include <vector>

namespace topsctl {

// The versions that a file cannot do without of one library (System V gABI, .gnu.version_r); weak
// needs are left out.
struct ElfVersionNeed {
  std::string library;                // "libc.so.6"
  std::vector<std::string> versions;  // "GLIBC_2.31", sorted
  bool operator==(const ElfVersionNeed&) const = default;
};

// All text but `exported` is printable, whatever the file holds.
struct ElfFacts {
  std::string problem;  // why it is no sound ELF file; empty: it is one
  // Whether something of what follows is left out: the bytes were not kept, or there is more of it
  // than any sound file has. What is said is true all the same.
  bool is_partial = false;
  std::string machine;  // "x86-64", "x32", "i386", "aarch64", "arm", "ppc64", "s390", "riscv", else
                        // "machine 243"
  std::string type;     // "shared", "executable" (position-independent ones too), "relocatable",
                        // "core", "debug" (debug information kept apart), else "type 5"
  std::string soname;   // empty: none
  std::string interpreter;                // PT_INTERP; empty: none
  std::vector<std::string> needed;        // DT_NEEDED, in their order
  std::vector<std::string> search_paths;  // DT_RUNPATH, else DT_RPATH, cut at ':'
  std::vector<ElfVersionNeed> version_needs;
  std::vector<std::string> defined_versions;  // .gnu.version_d: "GLIBC_2.31", without the base
  std::vector<std::string> exported;  // names of defined dynamic symbols; only when asked for
  std::string glibc;                  // the highest GLIBC_x needed, "2.31"; empty: none
  std::string glibcxx;                // the same of GLIBCXX_
  std::string cxxabi;                 // the same of CXXABI_
  bool is_python_extension = false;   // exports PyInit_*
  bool operator==(const ElfFacts&) const = default;

  bool is_sound() const { return problem.empty(); }
};

}  // namespace topsctl
