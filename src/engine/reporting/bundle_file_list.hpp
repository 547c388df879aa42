// The files of a bundle that a report lists: for training, documents, the largest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "topsctl/model/inspection.hpp"

namespace topsctl {

// A file for the report: a package, container or other file, or one within a package.
struct BundleFile {
  std::string place;  // printable
  std::uint64_t size = 0;
  bool operator==(const BundleFile&) const = default;
};

// Programs of the ECCL package and eccl_*_perf; .py and .sh files whose name indicates training.
std::vector<BundleFile> training_files(const Inspection& inspection);

// Manuals, licences and the like, by their names.
std::vector<BundleFile> document_files(const Inspection& inspection);

// Packages, containers, other files and the content of packages, the largest first.
std::vector<BundleFile> biggest_files(const Inspection& inspection, std::size_t most);

// Variables set in scripts and packages, and how often each is set so.
std::map<Setting, std::uint64_t> all_settings(const Inspection& inspection);

}  // namespace topsctl
