// Reads bundles: directories and single files with packages.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "topsctl/host/bundle/bundle_files.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// All packages among the given files, in their order. An unreadable package is listed with the
// verdict `broken`. Does not compute digests, which require all bytes. Calls `on_file` with each
// package's path before reading it. Throws Error{bad_bundle} if there is no package.
Inventory read_inventory(const FoundFiles& found,
                         const std::function<void(const std::string&)>& on_file = {});

// Reads a package's whole content, fills `files`, and returns its contents. Throws
// Error{bad_package}.
Contents read_payload(Package& package);

}  // namespace topsctl
