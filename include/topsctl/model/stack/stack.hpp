// A stack: the named, ordered set of packages that belong together, with the environment and checks
// that go with them. Always data.
#pragma once

#include <string>
#include <vector>

#include "topsctl/model/check_rule.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// A tree of files in an archive is packed into a deb of the first name (host/debian/tree_deb.hpp).
struct TreeRules {
  std::vector<std::string> archives;  // what its file is called before "_VERSION"
  std::string prefix;                 // "/opt/vccl": where it is put; empty: it is no tree
  bool operator==(const TreeRules&) const = default;
};

// Numbers from the first to before the second: "2.0", "3.0". Without a first one it is open.
struct VersionRange {
  std::string from;
  std::string below;
  bool operator==(const VersionRange&) const = default;
};

// In the version of a component: the release of the stack ("2.5.136"), and its first two numbers.
inline constexpr std::string_view release_placeholder = "{release}";
inline constexpr std::string_view series_placeholder = "{series}";

struct Component {
  std::string id;  // "eccl"
  PackageKind kind = PackageKind::deb;
  std::vector<std::string> names;  // what the package may call itself
  TreeRules tree;
  std::string version;  // must occur in the package's version as whole numbers; empty: any
  VersionRange within;  // of the first number of the package's version
  bool required = true;
  std::string beside = {};  // a distribution that must have the same first two numbers: "torch"
  bool operator==(const Component&) const = default;
};

struct PythonRules {
  std::vector<std::string> tested_minors;  // those the vendor supports: "3.6", "3.8"
  std::vector<std::string> executables;    // looked for in this order when none is named
  std::vector<std::string>
      unchanged;  // distributions that an install must leave as they are: "torch"
  bool operator==(const PythonRules&) const = default;
};

// How a variable's value is known; `chosen`: the operator has set it.
enum class Grade { attested, guide, chosen };
std::string_view name(Grade grade);

struct VariableRule {
  std::string name;
  std::string value;  // used unless prefix_of is set
  std::string
      prefix_of;  // a payload file name: the value is the folder above the one that holds it
  Grade grade = Grade::attested;
  std::string source;  // where the value was seen
  bool operator==(const VariableRule&) const = default;
};

struct PathEntryRule {
  std::string directory_of;  // a payload file name: its folder
  std::string if_present;    // a fixed folder, taken when it exists at login
  bool operator==(const PathEntryRule&) const = default;
};

struct PathRule {
  std::string name;  // "LD_LIBRARY_PATH"
  std::vector<PathEntryRule> entries;
  bool operator==(const PathRule&) const = default;
};

// Variables for one purpose, on top of those that always hold.
struct ProfileRule {
  std::string name;  // "prod"
  std::string title;
  std::vector<VariableRule> variables;  // each with a value
  // What guides set besides, and why this does not: lines for `topsctl env --profile`.
  std::vector<std::string> omits;
  bool operator==(const ProfileRule&) const = default;
};

struct EnvironmentRules {
  std::string file;        // "/etc/profile.d/topsrider.sh"
  std::string generation;  // of the cards: "t2x", "s60"; empty: not told
  std::vector<VariableRule> variables;
  std::vector<PathRule> paths;
  std::vector<ProfileRule> profiles;
  bool operator==(const EnvironmentRules&) const = default;
};

// The releases of the vendor that a stack is for; an open range: the one that its components name.
struct ReleaseRules {
  VersionRange range;
  std::vector<std::string> tested;  // those that somebody has tried
  bool operator==(const ReleaseRules&) const = default;
};

struct Stack {
  std::string name;
  std::string title;
  bool is_default = false;  // meant where nothing is installed and none was chosen
  ReleaseRules releases;
  std::string release;  // the one that is meant (model/stack_release.hpp); empty: not told yet
  std::vector<Component> components;  // in the order of installation
  PythonRules python;
  EnvironmentRules environment;
  AcceleratorRules accelerator;  // no cards: the stack is for none
  BackendRules backend;          // no name: the stack brings none
  std::vector<CheckRule> checks;
  bool operator==(const Stack&) const = default;

  const Component* component(std::string_view id) const;  // nullptr: none of that id
  std::vector<std::string> component_ids() const;
  const ProfileRule* profile(std::string_view name) const;  // nullptr: none of that name
  std::vector<std::string> profile_names() const;
};

// Whether `version` holds `wanted` as whole numbers: "1.10.0+2.5.136" holds "2.5.136", "12.5.136"
// does not.
bool version_contains(std::string_view version, std::string_view wanted);
// Distribution and package names compare as PEP 503 has it: case-folded, runs of "-_." equal.
std::string normalized_name(std::string_view name);
// Whether a file that cannot be read is named as a package of this component would be:
// NAME_VERSION_ARCH.deb or NAME-VERSION-TAGS.whl.
bool is_named_like(const Component& component, const Package& package);
// Whether the package has a name of this component's, and its kind.
bool is_named(const Component& component, const Package& package);
// The component that this package is, or nullptr.
const Component* matching_component(const Stack& stack, const Package& package);

}  // namespace topsctl
