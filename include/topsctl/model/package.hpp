// What is known of a package file and of all package files of a bundle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/model/finding.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

enum class PackageKind { deb, wheel, runfile, other };
std::string_view name(PackageKind kind);

// What a wheel says about Python (PEP 425 tags, Requires-Python of the core metadata).
struct PythonNeeds {
  std::string requires_python;    // empty: not said
  std::vector<std::string> tags;  // "py3.8-none-any", as the WHEEL file and the file name have them
  std::optional<std::string> minor;  // "3.8" if the tags mean exactly one minor version
  bool operator==(const PythonNeeds&) const = default;
};

// One entry of a package's payload.
struct PayloadEntry {
  enum class Type { file, directory, symlink, hardlink, other };
  std::string
      path;  // deb: absolute, normalised ("/usr/lib/libeccl.so"); wheel: relative to site-packages
  Type type = Type::file;
  std::uint64_t size = 0;  // bytes
  bool operator==(const PayloadEntry&) const = default;
};

enum class Verdict { component, archived, unknown, broken };
std::string_view name(Verdict verdict);

struct Package {
  std::string path;                    // as shown: relative to the folder that was given
  std::string location;                // where to open it
  std::vector<std::string> container;  // archives it lies in, outermost first
  PackageKind kind = PackageKind::other;
  std::string name;
  std::string version;
  std::string architecture;
  std::optional<PythonNeeds> python;
  std::vector<std::string> depends;
  std::vector<std::string>
      displaces;  // deb: names in Conflicts, Breaks and Replaces, whose files dpkg may take away
  std::uint64_t size = 0;                       // bytes of the file
  std::optional<std::uint64_t> installed_size;  // bytes, as claimed
  std::string sha256;
  std::string component;  // id in the stack; empty: none
  std::string stack;
  bool chosen = false;
  std::optional<std::vector<PayloadEntry>> files;
  std::vector<std::string> scripts;  // wheel: names of the commands it installs
  std::string
      md5sums;  // deb: the control member of that name, for comparison with the installed one
  std::string record;  // wheel: the text of RECORD, known once the payload was read
  Verdict verdict = Verdict::unknown;
  std::string problem;  // why the verdict is `broken`
  bool operator==(const Package&) const = default;
};

struct Inventory {
  std::vector<Package> packages;
  std::uint64_t other_files = 0;  // files that are no packages
};

Json to_json(const Package& package);

}  // namespace topsctl
