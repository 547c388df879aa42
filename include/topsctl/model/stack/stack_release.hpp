// Which release of a vendor a stack is meant in: one for all its components.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// Whether a number such as "2.5.136" is in the range; an open range holds every number.
bool is_within(const VersionRange& range, std::string_view number);
// "2.0 or later, below 3.0"; empty for an open range.
std::string to_text(const VersionRange& range);

// The numbers of a version in their order, each of two parts at least: "1.10.0+2.5.136" has
// "1.10.0" and "2.5.136".
std::vector<std::string> numbers_of(std::string_view version);

// Whether a package of this version may be the component. While the stack has no release, any
// version that some release of it could bring.
bool has_version(const Stack& stack, const Component& component, std::string_view version);
// What has_version() asks for, for people: "2.5.136", "2.0 or later, below 3.0"; empty: anything.
std::string wanted_version(const Stack& stack, const Component& component);

// The same stack at one release: versions that follow the release are those of `release`. A stack
// of no range, or at a release already, stays as it is.
Stack at_release(const Stack& stack, const std::string& release);
// Throws Error{bad_stack} if the stack has no such release.
void require_release(const Stack& stack, const std::string& release);

// "topsrider-t2x 2.5.136"; the name alone without a release.
std::string title_of(const Stack& stack);

// Whether somebody has tried the stack at its release; a stack without releases counts as tried.
bool is_tested(const Stack& stack);
// "release 2.4.87 of topsrider-t2x is untested (tested: 2.5.136)".
std::string untested_release(const Stack& stack);

// A component in one of the versions that was found.
struct FoundVersion {
  std::string component;  // its id
  std::string package;    // "tops-eccl 2.5.136-1", for messages
  std::string version;
};

// Which release all that was found is of.
struct FoundRelease {
  std::optional<std::string> release;  // nothing: none, or no single one
  // Each release that only some of it has, with a package of it; two at least if they are mixed.
  std::vector<std::pair<std::string, std::string>> mixed;
  std::vector<std::string> several;  // releases of which all that was found is there, if not one
};
// `declared` is what the bundle says of itself; it decides between several. Without effect for a
// stack that is of one release by itself.
FoundRelease release_of(const Stack& stack, const std::vector<FoundVersion>& found,
                        const std::string& declared);

// What a bundle says of itself, in a file of this name.
inline constexpr std::string_view setup_file = ".setup_config.json";
inline constexpr std::uint64_t most_setup = 1U << 20U;  // bytes
// The release in the text of such a file; empty: it names none.
std::string release_in_setup(std::string_view json);

// The stack at the release that the packages of a bundle are of; as it is, if they tell none.
// Throws Error{bad_bundle} if releases are mixed, or if several are complete.
Stack resolved(const Stack& stack, const Inventory& inventory);

}  // namespace topsctl
