// Collects the findings of archives and packages.
#include "topsctl/engine/inspection/bundle_findings.hpp"

#include <algorithm>
#include <array>

#include "engine/inspection/script_findings.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/package_findings.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

std::string place_of(const ContainerFile& container) {
  std::vector<std::string> parts = container.container;
  parts.push_back(container.path);
  return joined(parts, " > ");
}

bool is_read_compression(const std::string& name) {
  constexpr std::array<std::string_view, 6> read = {"none", "gzip", "xz", "zstd", "bzip2", "lzma"};
  return std::find(read.begin(), read.end(), name) != read.end();
}

void add_container_findings(const ContainerFile& container, std::vector<Finding>& findings) {
  const std::string place = place_of(container);
  std::vector<Evidence> wrong;
  for (const std::string& checksum : container.checksums) {
    if (checksum.ends_with(" wrong")) wrong.push_back({container.path, 0, checksum});
  }
  if (!wrong.empty()) {
    findings.push_back(make_finding("runfile-checksum-wrong", place, std::move(wrong)));
  }
  if (container.problem.empty()) return;
  // A .run may be made by another tool than makeself, or use another packer: that is not damage.
  const bool is_foreign = container.kind == "runfile" && container.checksums.empty() &&
                          (container.label.empty() || !is_read_compression(container.compression));
  findings.push_back(make_finding(is_foreign ? "runfile-not-understood" : "container-unreadable",
                                  place, {{container.path, 0, container.problem}}));
}

}  // namespace

std::vector<Finding> bundle_findings(const Inspection& inspection) {
  std::vector<Finding> findings;
  for (const ContainerFile& container : inspection.containers) {
    add_container_findings(container, findings);
  }
  for (std::size_t i = 0; i < inspection.inventory.packages.size(); ++i) {
    const Package& package = inspection.inventory.packages[i];
    // Archived packages are never selected, so their faults do not matter.
    if (package.verdict == Verdict::archived) continue;
    const auto contents = inspection.contents.find(i);
    const Contents* const read =
        contents == inspection.contents.end() ? nullptr : &contents->second;
    std::vector<Finding> found = package_findings(package, read);
    std::move(found.begin(), found.end(), std::back_inserter(findings));
    found = script_findings(package, read);
    std::move(found.begin(), found.end(), std::back_inserter(findings));
  }
  sort_findings(findings);
  return findings;
}

}  // namespace topsctl
