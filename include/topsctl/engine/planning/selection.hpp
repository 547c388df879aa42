// Which packages of a bundle are meant.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// The id by which it is refused that no interpreter of the host takes the wheels.
inline constexpr const char* no_interpreter_finding = "no-interpreter-for-wheel";

// Marks every package with its component, stack and verdict, and as `chosen` those that an install
// would take: the newest deb of each component, and every wheel that is not archived (which of them
// depends on the interpreter).
void identify(const Stack& stack, Inventory& inventory);

// The component ids of a comma-separated list, in the stack's order; empty text means all. Throws
// Error{usage} for an unknown id.
std::vector<std::string> selected_components(const Stack& stack, const std::string& list);

struct Selection {
  std::vector<Package> packages;        // in the stack's order
  const PythonFacts* python = nullptr;  // of the facts given; nullptr: none is needed
  // Components to be installed again although their version is there, and what is wrong with what
  // is installed; empty: that is as the operator wishes.
  std::map<std::string, std::string> again = {};
};

// Chooses packages and interpreter for a host. Throws Error{bad_bundle} if a required component is
// missing, Error{bad_package} if a file that is named like one is broken, Error{host_unfit} if no
// interpreter fits the wheels.
Selection select_packages(const Stack& stack, const Inventory& inventory, const HostFacts& facts,
                          const std::vector<std::string>& components);

}  // namespace topsctl
