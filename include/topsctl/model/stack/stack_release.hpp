// Selects the vendor release of a stack: one for all its components.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// Whether a number such as "2.5.136" is in the range; an open range contains every number.
bool is_within(const VersionRange& range, std::string_view number);
// "2.0 or later, below 3.0"; empty for an open range.
std::string to_text(const VersionRange& range);

// The numbers of a version in order, each with at least two parts: "1.10.0+2.5.136" has "1.10.0"
// and "2.5.136".
std::vector<std::string> numbers_of(std::string_view version);

// Whether a package of this version may be the component. For a stack without a selected release,
// any version of any of its releases.
bool has_version(const Stack& stack, const Component& component, std::string_view version);
// The requirement of has_version(), for display: "2.5.136", "2.0 or later, below 3.0"; empty: any.
std::string wanted_version(const Stack& stack, const Component& component);

// The same stack at one release: sets versions that depend on the release. Returns a stack without
// a range, or with a release, unchanged.
Stack at_release(const Stack& stack, const std::string& release);
// Throws Error{bad_stack} if the stack has no such release.
void require_release(const Stack& stack, const std::string& release);

// "topsrider-t2x 2.5.136"; only the name without a release.
std::string title_of(const Stack& stack);

// Whether the stack was tested at its release; a stack without releases counts as tested.
bool is_tested(const Stack& stack);
// "release 2.4.87 of topsrider-t2x is untested (tested: 2.5.136)".
std::string untested_release(const Stack& stack);

// A component in one of the versions found.
struct FoundVersion {
  std::string component;  // its id
  std::string package;    // "tops-eccl 2.5.136-1", for messages
  std::string version;
};

// The release of all found packages.
struct FoundRelease {
  std::optional<std::string> release;  // nothing: none, or not a single one
  // Releases that only some packages have, each with an example; at least two if releases are
  // mixed.
  std::vector<std::pair<std::string, std::string>> mixed;
  std::vector<std::string> several;  // complete releases, if more than one
};
// `declared`: the bundle's own declaration; it decides between several. Has no effect on a stack
// with a fixed release.
FoundRelease release_of(const Stack& stack, const std::vector<FoundVersion>& found,
                        const std::string& declared);

// A bundle's declaration is in a file of this name.
inline constexpr std::string_view setup_file = ".setup_config.json";
inline constexpr std::uint64_t most_setup = 1U << 20U;  // bytes
// The release in the text of such a file; empty: none.
std::string release_in_setup(std::string_view json);

// The stack at the release of a bundle's packages; unchanged if they have none. Throws
// Error{bad_bundle} if releases are mixed, or if several are complete.
Stack resolved(const Stack& stack, const Inventory& inventory);

}  // namespace topsctl
