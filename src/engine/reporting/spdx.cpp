// SPDX 2.3: packages in a flat list, relationships between them.
#include "topsctl/engine/reporting/spdx.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "engine/reporting/sbom_parts.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/model/place.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

namespace {

constexpr const char* document_id = "SPDXRef-DOCUMENT";
constexpr const char* bundle_id = "SPDXRef-bundle";
constexpr const char* unknown = "NOASSERTION";

std::string id_of(const SbomNode& node) {
  return concat("SPDXRef-", node.ref);
}

// License texts that are no identifiers of SPDX's list, and what they are called here.
using LicenseNames = std::map<std::string, std::string>;

std::string declared_license(const Package& package, LicenseNames& names) {
  const std::string license = license_of(package);
  if (license.empty()) return unknown;
  if (is_spdx_license(license)) return license;
  return names.emplace(license, concat("LicenseRef-", names.size() + 1)).first->second;
}

// "Organization: name (email)"; the parentheses are part of the form (clause 7.5).
std::string supplier_text(const Package& package) {
  const auto supplier = supplier_of(package);
  if (!supplier) return unknown;
  std::string name = supplier->name;
  std::erase_if(name, [](char c) { return c == '(' || c == ')'; });
  return concat("Organization: ", name,
                supplier->email.empty() ? "" : concat(" (", supplier->email, ")"));
}

Json plain_package(const std::string& id, const std::string& name, const char* purpose) {
  return {{"SPDXID", id},
          {"name", name},
          {"downloadLocation", unknown},
          {"filesAnalyzed", false},
          {"licenseConcluded", unknown},
          {"licenseDeclared", unknown},
          {"copyrightText", unknown},
          {"primaryPackagePurpose", purpose}};
}

void add_file(Json& entry, const std::string& place, const std::string& sha256) {
  entry["packageFileName"] = place;
  if (!sha256.empty()) {
    entry["checksums"] = Json::array({{{"algorithm", "SHA256"}, {"checksumValue", sha256}}});
  }
}

Json package_entry(const SbomNode& node, LicenseNames& names) {
  if (node.container != nullptr) {
    Json entry = plain_package(id_of(node), component_name(node), "ARCHIVE");
    add_file(entry, place_text(node.container->container, node.container->path),
             node.container->sha256);
    return entry;
  }
  const Package& package = *node.package;
  Json entry = plain_package(id_of(node), component_name(node),
                             package.kind == PackageKind::wheel ? "LIBRARY" : "INSTALL");
  add_file(entry, place_text(package.container, package.path), package.sha256);
  if (!package.version.empty()) entry["versionInfo"] = printable(package.version);
  entry["supplier"] = supplier_text(package);
  entry["licenseDeclared"] = declared_license(package, names);
  if (const std::string text = description_of(package); !text.empty()) entry["summary"] = text;
  if (!package.name.empty()) {
    entry["externalRefs"] =
        Json::array({{{"referenceCategory", "PACKAGE-MANAGER"},
                      {"referenceType", "purl"},
                      {"referenceLocator", package_url(package.kind, package.name, package.version,
                                                       package.architecture)}}});
  }
  return entry;
}

Json relationship(const std::string& from, const char* type, const std::string& to) {
  return {{"spdxElementId", from}, {"relationshipType", type}, {"relatedSpdxElement", to}};
}

Json relationships(const std::vector<SbomNode>& nodes) {
  Json list = Json::array({relationship(document_id, "DESCRIBES", bundle_id)});
  for (const SbomNode& node : nodes) {
    list.push_back(relationship(node.parent ? id_of(nodes[*node.parent]) : bundle_id, "CONTAINS",
                                id_of(node)));
  }
  for (const SbomNode& node : nodes) {
    for (const std::size_t index : node.depends_on)
      list.push_back(relationship(id_of(node), "DEPENDS_ON", id_of(nodes[index])));
  }
  return list;
}

Json extracted_licenses(const LicenseNames& names) {
  Json list = Json::array();
  for (const auto& [text, name] : names)
    list.push_back({{"licenseId", name}, {"extractedText", text}, {"name", unknown}});
  return list;
}

}  // namespace

Json spdx_document(const Inspection& inspection, const SbomFrame& frame) {
  const std::vector<SbomNode> nodes = sbom_nodes(inspection);
  LicenseNames names;
  Json packages = Json::array({plain_package(bundle_id, printable(frame.name), "ARCHIVE")});
  for (const SbomNode& node : nodes) packages.push_back(package_entry(node, names));
  return {{"spdxVersion", "SPDX-2.3"},
          {"dataLicense", "CC0-1.0"},
          {"SPDXID", document_id},
          {"name", printable(frame.name)},
          {"documentNamespace", concat("urn:uuid:", sbom_uuid(nodes, "spdx"))},
          {"creationInfo",
           {{"created", frame.created_at},
            {"creators", Json::array({concat("Tool: topsctl-", topsctl_version())})}}},
          {"packages", std::move(packages)},
          {"relationships", relationships(nodes)},
          {"hasExtractedLicensingInfos", extracted_licenses(names)}};
}

}  // namespace topsctl
