// Places, references and dependencies for bills of materials.
#include "engine/reporting/sbom_parts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/model/place.hpp"
#include "topsctl/model/relation.hpp"
#include "topsctl/model/relation_parser.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace {

constexpr std::size_t deepest = 16;  // archives in each other that are shown so
constexpr std::size_t most_license = 1000;

using Place = std::vector<std::string>;  // archives from the outermost, the file last

Place place_of(const std::vector<std::string>& container, const std::string& path) {
  Place place = container;
  place.push_back(path);
  return place;
}

Place place_of(const SbomNode& node) {
  return node.package != nullptr ? place_of(node.package->container, node.package->path)
                                 : place_of(node.container->container, node.container->path);
}

// The innermost known container.
std::optional<std::size_t> parent_of(Place place, const std::map<Place, std::size_t>& containers) {
  for (place.pop_back(); !place.empty(); place.pop_back()) {
    if (place.size() > deepest) continue;
    const auto found = containers.find(place);
    if (found != containers.end()) return found->second;
  }
  return std::nullopt;
}

void add_reference(SbomNode& node, std::set<std::string>& taken) {
  std::string key;
  for (const std::string& part : place_of(node)) key += concat(part, '\0');
  const std::string base =
      concat(node.package != nullptr ? "package-" : "container-", sha256_of(key).substr(0, 16));
  node.ref = base;
  for (int again = 2; !taken.insert(node.ref).second; ++again) node.ref = concat(base, "-", again);
}

bool may_be_depended_on(const Package& package) {
  return package.verdict != Verdict::archived && package.verdict != Verdict::broken;
}

struct Offer {
  std::size_t node = 0;
  std::string version;  // empty: provided without one
};
using Offers = std::multimap<std::string, Offer>;

std::vector<Clause> dependency_clauses(std::string_view field, const std::string& subject) {
  try {
    return parse_relations(field, subject);
  } catch (const Error&) {
    return {};  // findings report it; the bill of materials lists only readable content
  }
}

Offers offered_debs(const std::vector<SbomNode>& nodes) {
  Offers offers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Package* package = nodes[i].package;
    if (package == nullptr || package->kind != PackageKind::deb || !may_be_depended_on(*package))
      continue;
    offers.emplace(package->name, Offer{i, package->version});
    if (!package->deb) continue;
    for (const Clause& clause : dependency_clauses(package->deb->provides, package->path)) {
      for (const Relation& relation : clause.alternatives)
        offers.emplace(relation.name, Offer{i, relation.version});
    }
  }
  return offers;
}

Offers offered_wheels(const std::vector<SbomNode>& nodes) {
  Offers offers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Package* package = nodes[i].package;
    if (package != nullptr && package->kind == PackageKind::wheel && may_be_depended_on(*package))
      offers.emplace(normalized_name(package->name), Offer{i, package->version});
  }
  return offers;
}

std::set<std::size_t> needed_debs(const Package& package, const Offers& offers) {
  std::set<std::size_t> needed;
  for (const std::string& field : package.depends) {
    for (const Clause& clause : dependency_clauses(field, package.path)) {
      for (const Relation& relation : clause.alternatives) {
        const auto [first, last] = offers.equal_range(relation.name);
        for (auto at = first; at != last; ++at) {
          if (accepts(relation, at->second.version)) needed.insert(at->second.node);
        }
      }
    }
  }
  return needed;
}

// The distribution that a Requires-Dist field names; empty if it is only needed for an extra (PEP
// 508).
std::string required_distribution(std::string_view field) {
  const std::string_view requirement = trimmed(field.substr(0, field.find(';')));
  const auto marker = field.find(';');
  if (marker != std::string_view::npos &&
      field.substr(marker).find("extra") != std::string_view::npos) {
    return {};
  }
  std::size_t end = 0;
  while (end < requirement.size()) {
    const char c = requirement[end];
    const bool is_name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    if (!is_name) break;
    ++end;
  }
  return normalized_name(requirement.substr(0, end));
}

bool share_a_python(const Package& a, const Package& b) {
  if (!a.python || !b.python || !a.python->minor || !b.python->minor) return true;
  return a.python->minor == b.python->minor;
}

std::set<std::size_t> needed_wheels(const Package& package, const Offers& offers,
                                    const std::vector<SbomNode>& nodes) {
  std::set<std::size_t> needed;
  for (const std::string& field : package.depends) {
    const std::string name = required_distribution(field);
    const auto [first, last] = offers.equal_range(name);
    for (auto at = first; at != last; ++at) {
      if (share_a_python(package, *nodes[at->second.node].package)) needed.insert(at->second.node);
    }
  }
  return needed;
}

void add_dependencies(std::vector<SbomNode>& nodes) {
  const Offers debs = offered_debs(nodes);
  const Offers wheels = offered_wheels(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Package* package = nodes[i].package;
    if (package == nullptr || !may_be_depended_on(*package)) continue;
    std::set<std::size_t> needed;
    if (package->kind == PackageKind::deb) needed = needed_debs(*package, debs);
    if (package->kind == PackageKind::wheel) needed = needed_wheels(*package, wheels, nodes);
    needed.erase(i);
    nodes[i].depends_on.assign(needed.begin(), needed.end());
  }
}

}  // namespace

std::vector<SbomNode> sbom_nodes(const Inspection& inspection) {
  std::vector<SbomNode> nodes;
  std::map<Place, std::size_t> containers;
  std::vector<const ContainerFile*> files;
  for (const ContainerFile& file : inspection.containers) files.push_back(&file);
  std::stable_sort(files.begin(), files.end(), [](const auto* a, const auto* b) {
    return a->container.size() < b->container.size();
  });
  for (const ContainerFile* file : files) {
    SbomNode node;
    node.container = file;
    node.parent = parent_of(place_of(node), containers);
    containers.emplace(place_of(node), nodes.size());
    nodes.push_back(std::move(node));
  }
  for (const Package& package : inspection.inventory.packages) {
    SbomNode node;
    node.package = &package;
    if (package.kind == PackageKind::runfile && containers.contains(place_of(node))) continue;
    node.parent = parent_of(place_of(node), containers);
    nodes.push_back(std::move(node));
  }
  std::set<std::string> taken;
  for (SbomNode& node : nodes) add_reference(node, taken);
  add_dependencies(nodes);
  return nodes;
}

std::string sbom_uuid(const std::vector<SbomNode>& nodes, std::string_view purpose) {
  std::vector<std::string> lines;
  for (const SbomNode& node : nodes) {
    const std::string& digest =
        node.package != nullptr ? node.package->sha256 : node.container->sha256;
    const std::uint64_t size = node.package != nullptr ? node.package->size : node.container->size;
    lines.push_back(concat(digest, " ", size, " ", joined(place_of(node), " > ")));
  }
  std::sort(lines.begin(), lines.end());
  std::string hex = sha256_of(concat(purpose, "\n", joined(lines, "\n"))).substr(0, 32);
  hex[12] = '8';                                      // version: of our own making
  hex[16] = std::string_view("89ab")[(hex[16] & 3)];  // variant
  return concat(hex.substr(0, 8), "-", hex.substr(8, 4), "-", hex.substr(12, 4), "-",
                hex.substr(16, 4), "-", hex.substr(20, 12));
}

std::optional<Supplier> supplier_of(const Package& package) {
  if (!package.deb || trimmed(package.deb->maintainer).empty()) return std::nullopt;
  const std::string text(trimmed(printable(package.deb->maintainer)));
  const auto open = text.find('<');
  if (open == std::string::npos) return Supplier{text, ""};
  Supplier supplier;
  supplier.name = trimmed(std::string_view(text).substr(0, open));
  supplier.email =
      trimmed(std::string_view(text).substr(open + 1, text.find('>', open) - open - 1));
  if (supplier.name.empty()) supplier.name = supplier.email;
  if (supplier.name.empty()) return std::nullopt;
  return supplier;
}

std::string license_of(const Package& package) {
  if (!package.wheel) return {};
  const std::string text = printable(trimmed(package.wheel->license));
  // Setup tools write this for "none".
  if (lower_case(text) == "unknown") return {};
  return shortened(text, most_license);
}

bool is_spdx_license(std::string_view text) {
  constexpr std::array<std::string_view, 21> known = {"0BSD",
                                                      "AGPL-3.0-only",
                                                      "AGPL-3.0-or-later",
                                                      "Apache-2.0",
                                                      "BSD-2-Clause",
                                                      "BSD-3-Clause",
                                                      "BSL-1.0",
                                                      "CC0-1.0",
                                                      "GPL-2.0-only",
                                                      "GPL-2.0-or-later",
                                                      "GPL-3.0-only",
                                                      "GPL-3.0-or-later",
                                                      "ISC",
                                                      "LGPL-2.1-only",
                                                      "LGPL-2.1-or-later",
                                                      "LGPL-3.0-only",
                                                      "LGPL-3.0-or-later",
                                                      "MIT",
                                                      "MPL-2.0",
                                                      "PSF-2.0",
                                                      "Zlib"};
  return std::find(known.begin(), known.end(), text) != known.end();
}

std::string component_name(const SbomNode& node) {
  if (node.package != nullptr && !node.package->name.empty()) return printable(node.package->name);
  const std::string& path = node.package != nullptr ? node.package->path : node.container->path;
  return printable(path.substr(path.rfind('/') + 1));
}

std::string description_of(const Package& package) {
  if (package.deb) return printable(package.deb->summary);
  return package.wheel ? printable(package.wheel->summary) : std::string();
}

}  // namespace topsctl
