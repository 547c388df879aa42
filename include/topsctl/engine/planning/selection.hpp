// Selects the packages of a bundle for an install.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// The finding id if no interpreter of the host fits the wheels.
inline constexpr const char* no_interpreter_finding = "no-interpreter-for-wheel";

// Marks each package with its component, stack and verdict, and as `chosen` those that an install
// would select: the newest deb of each component, and every wheel that is not archived (the final
// choice depends on the interpreter).
void identify(const Stack& stack, Inventory& inventory);

// The component ids of a comma-separated list, in the stack's order; empty text means all. Throws
// Error{usage} for an unknown id.
std::vector<std::string> selected_components(const Stack& stack, const std::string& list);

struct Selection {
  std::vector<Package> packages;        // in the stack's order
  const PythonFacts* python = nullptr;  // points into the given facts; nullptr: none is needed
  // Components to reinstall although their version is installed, with the damage of the installed
  // files; empty text: the operator asked for it.
  std::map<std::string, std::string> again = {};
};

// Selects packages and interpreter for a host. Throws Error{bad_bundle} if a required component is
// missing, Error{bad_package} if the file that is named like it is broken, Error{host_unfit} if no
// interpreter fits the wheels.
Selection select_packages(const Stack& stack, const Inventory& inventory, const HostFacts& facts,
                          const std::vector<std::string>& components);

}  // namespace topsctl
