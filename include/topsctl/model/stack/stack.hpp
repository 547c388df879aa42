// A stack: a named, ordered set of packages that belong together, with their environment and
// checks. Always data.
#pragma once

#include <string>
#include <vector>

#include "topsctl/model/check_rule.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// A file tree in an archive is packed into a deb of the first name (host/debian/tree_deb.hpp).
struct TreeRules {
  std::vector<std::string> archives;  // its file name before "_VERSION"
  std::string prefix;                 // "/opt/vccl": its directory; empty: not a tree
  bool operator==(const TreeRules&) const = default;
};

// Versions from `from` to before `below`: "2.0", "3.0". An empty `from` makes it an open range.
struct VersionRange {
  std::string from;
  std::string below;
  bool operator==(const VersionRange&) const = default;
};

// Placeholders in a component's version: the release of the stack ("2.5.136"), and its first two
// numbers.
inline constexpr std::string_view release_placeholder = "{release}";
inline constexpr std::string_view series_placeholder = "{series}";

struct Component {
  std::string id;  // "eccl"
  PackageKind kind = PackageKind::deb;
  std::vector<std::string> names;  // possible names of the package
  TreeRules tree;
  std::string version;  // must occur in the package's version as whole numbers; empty: any
  VersionRange within;  // for the first number of the package's version
  bool required = true;
  std::string beside = {};  // a distribution that must have the same first two numbers: "torch"
  bool operator==(const Component&) const = default;
};

struct PythonRules {
  std::vector<std::string> tested_minors;  // those that the vendor supports: "3.6", "3.8"
  std::vector<std::string> executables;    // tried in this order if none is named
  std::vector<std::string> unchanged;      // distributions that an install must not change: "torch"
  bool operator==(const PythonRules&) const = default;
};

// The source of a variable's value; `chosen`: set by the operator.
enum class Grade { attested, guide, chosen };
std::string_view name(Grade grade);

struct VariableRule {
  std::string name;
  std::string value;  // used unless prefix_of is set
  std::string
      prefix_of;  // a payload file name: the value is the directory above the file's directory
  Grade grade = Grade::attested;
  std::string source;  // where the value was found
  bool operator==(const VariableRule&) const = default;
};

struct PathEntryRule {
  std::string directory_of;  // a payload file name: its directory
  std::string if_present;    // a fixed directory, used if it exists at login
  bool operator==(const PathEntryRule&) const = default;
};

struct PathRule {
  std::string name;  // "LD_LIBRARY_PATH"
  std::vector<PathEntryRule> entries;
  bool operator==(const PathRule&) const = default;
};

// Variables for one purpose, in addition to the general ones.
struct ProfileRule {
  std::string name;  // "prod"
  std::string title;
  std::vector<VariableRule> variables;  // each with a value
  // Lines for `topsctl env --profile`: variables that guides also set, and why this profile does
  // not.
  std::vector<std::string> omits;
  bool operator==(const ProfileRule&) const = default;
};

struct EnvironmentRules {
  std::string file;        // "/etc/profile.d/topsrider.sh"
  std::string generation;  // of the cards: "t2x", "s60"; empty: none
  std::vector<VariableRule> variables;
  std::vector<PathRule> paths;
  std::vector<ProfileRule> profiles;
  bool operator==(const EnvironmentRules&) const = default;
};

// The vendor's releases that a stack supports; an open range: the one in its components.
struct ReleaseRules {
  VersionRange range;
  std::vector<std::string> tested;  // tested releases
  bool operator==(const ReleaseRules&) const = default;
};

// A line of a stack that `topsctl stack new` wrote.
struct DraftNote {
  std::string place;     // JSON pointer (RFC 6901) into the stack file; empty: the whole file
  std::string evidence;  // what of the packages says so
  std::string decide;    // what a reviewer has to decide; empty: nothing
  bool operator==(const DraftNote&) const = default;
};

struct Stack {
  std::string name;
  std::string title;
  bool is_default = false;  // used if nothing is installed and none was chosen
  ReleaseRules releases;
  std::string release;  // the selected one (model/stack_release.hpp); empty: not selected yet
  std::vector<Component> components;  // in the order of installation
  PythonRules python;
  EnvironmentRules environment;
  AcceleratorRules accelerator;  // no cards: the stack has none
  BackendRules backend;          // no name: the stack has none
  std::vector<CheckRule> checks;
  std::vector<DraftNote> draft = {};  // empty: reviewed, or written by hand
  bool operator==(const Stack&) const = default;

  const Component* component(std::string_view id) const;  // nullptr: unknown id
  std::vector<std::string> component_ids() const;
  const ProfileRule* profile(std::string_view name) const;  // nullptr: unknown name
  std::vector<std::string> profile_names() const;
  std::size_t open_decisions() const;  // notes of the draft that ask for one
};

// Whether `version` contains `wanted` as whole numbers: "1.10.0+2.5.136" contains "2.5.136",
// "12.5.136" does not.
bool version_contains(std::string_view version, std::string_view wanted);
// Distribution and package names compare by PEP 503: case-folded, runs of "-_." equal.
std::string normalized_name(std::string_view name);
// Whether an unreadable file is named like a package of this component: NAME_VERSION_ARCH.deb or
// NAME-VERSION-TAGS.whl.
bool is_named_like(const Component& component, const Package& package);
// Whether the package has a name and the kind of this component.
bool is_named(const Component& component, const Package& package);
// The component of this package, or nullptr.
const Component* matching_component(const Stack& stack, const Package& package);

}  // namespace topsctl
