// Common parts of both forms of a bill of materials.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/inspection.hpp"

namespace topsctl {

// A container or a package of the bundle; exactly one of the pointers is set. They point into the
// inspection.
struct SbomNode {
  const ContainerFile* container = nullptr;
  const Package* package = nullptr;
  std::optional<std::size_t> parent;    // index of its container; nothing: in the bundle itself
  std::string ref;                      // unique; letters, digits and '-' only
  std::vector<std::size_t> depends_on;  // indices of packages, sorted
};

// Containers before their content, else in the order of the inspection. An opened .run file is only
// a container.
std::vector<SbomNode> sbom_nodes(const Inspection& inspection);

// A UUID of version 8 (RFC 9562) from the digests, sizes and places of all nodes, and `purpose`.
std::string sbom_uuid(const std::vector<SbomNode>& nodes, std::string_view purpose);

// "Enflame <support@example.com>" (policy 5.6.2).
struct Supplier {
  std::string name;
  std::string email;  // empty: none
  bool operator==(const Supplier&) const = default;
};
std::optional<Supplier> supplier_of(const Package& package);
// As stated by the package, at most 1,000 bytes; empty: not stated.
std::string license_of(const Package& package);
// Whether the text is the identifier of a common license in SPDX's list.
bool is_spdx_license(std::string_view text);
// The package's name; a file that does not say has its file name.
std::string component_name(const SbomNode& node);
// A one-line description; may be empty.
std::string description_of(const Package& package);

}  // namespace topsctl
