// Reading of bundles: folders and single files that hold packages.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "topsctl/host/bundle/bundle_files.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// All packages among the given files, in their order. A package that cannot be read is listed with
// the verdict `broken`. Digests are not read: they cost every byte. `on_file` is called with each
// package's path before it is read. Throws Error{bad_bundle} if no package is found.
Inventory read_inventory(const FoundFiles& found,
                         const std::function<void(const std::string&)>& on_file = {});

// Reads a package's whole content, fills `files`, and returns what was found in them. Throws
// Error{bad_package}.
Contents read_payload(Package& package);

}  // namespace topsctl
