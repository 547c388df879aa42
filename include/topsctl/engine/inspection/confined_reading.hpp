// Reads bundles in a process that cannot change the host: their content may attack the program that
// reads it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/host/bundle/bundle.hpp"
#include "topsctl/host/bundle/bundle_reader.hpp"
#include "topsctl/host/system/confined_call.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

// Whether to use a sandbox, and a callback for parts of it that the host does not support.
struct SandboxWish {
  Sandboxing sandboxing = Sandboxing::on;
  std::function<void(const std::string& warning)> on_warning;
};

struct JudgedBundle {
  Inspection inspection;
  std::vector<Finding> findings;  // bundle_findings()
};
inline auto members_of(JudgedBundle& value) {
  auto& [inspection, findings] = value;
  return std::tie(inspection, findings);
}

// read_bundle() and its findings. Throws the errors of read_bundle(), and Error{bad_bundle} if the
// reading process dies.
JudgedBundle read_and_judge(const FoundFiles& found, const BundleReading& reading,
                            const SandboxWish& wish);

// The same for read_inventory().
Inventory read_inventory_confined(const FoundFiles& found, const SandboxWish& wish,
                                  const std::function<void(const std::string&)>& on_file = {});

// Throws Error{bad_bundle} unless each package lies in one of these files: the process that reports
// the packages is not trusted.
void require_given(const std::vector<Package>& packages,
                   const std::set<std::filesystem::path>& files);

}  // namespace topsctl
