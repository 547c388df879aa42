// Properties of an ELF file that decide whether it works on a host.
#pragma once

#include <string>
#include <vector>

namespace topsctl {

// The versions that a file requires of one library (System V gABI, .gnu.version_r), without weak
// ones.
struct ElfVersionNeed {
  std::string library;                // "libc.so.6"
  std::vector<std::string> versions;  // "GLIBC_2.31", sorted
  bool operator==(const ElfVersionNeed&) const = default;
};

// All text except `exported` is printable, for any file content.
struct ElfFacts {
  std::string problem;  // why it is not a valid ELF file; empty: it is one
  // Whether some of the following facts are missing: their bytes were not kept, or there are more
  // than any valid file has. The present facts are correct.
  bool is_partial = false;
  std::string machine;  // "x86-64", "x32", "i386", "aarch64", "arm", "ppc64", "s390", "riscv", else
                        // "machine 243"
  std::string type;     // "shared", "executable" (position-independent ones too), "relocatable",
                        // "core", "debug" (debug information kept apart), else "type 5"
  std::string soname;   // empty: none
  std::string interpreter;                // PT_INTERP; empty: none
  std::vector<std::string> needed;        // DT_NEEDED, in order
  std::vector<std::string> search_paths;  // DT_RUNPATH, else DT_RPATH, split at ':'
  std::vector<ElfVersionNeed> version_needs;
  std::vector<std::string> defined_versions;   // .gnu.version_d: "GLIBC_2.31", without the base
  std::vector<std::string> exported;           // names of defined dynamic symbols; only on request
  std::vector<std::string> version_functions;  // exported names that end in GetVersion; at most 64
  std::string glibc;                           // the highest required GLIBC_x, "2.31"; empty: none
  std::string glibcxx;                         // the same for GLIBCXX_
  std::string cxxabi;                          // the same for CXXABI_
  bool is_python_extension = false;            // exports PyInit_*
  bool operator==(const ElfFacts&) const = default;

  bool is_sound() const { return problem.empty(); }
};

}  // namespace topsctl
