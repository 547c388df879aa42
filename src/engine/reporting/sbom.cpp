// CycloneDX 1.5: components nested as their files are.
#include "topsctl/engine/reporting/sbom.hpp"

#include <nlohmann/json.hpp>

#include "engine/reporting/sbom_parts.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/model/place.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

namespace {

constexpr const char* bundle_ref = "bundle";

Json property(const char* name, std::string_view value) {
  return {{"name", concat("topsctl:", name)}, {"value", value}};
}

void add_hash(Json& component, const std::string& sha256) {
  if (!sha256.empty())
    component["hashes"] = Json::array({{{"alg", "SHA-256"}, {"content", sha256}}});
}

Json container_component(const SbomNode& node) {
  const ContainerFile& file = *node.container;
  Json component = {{"type", "file"}, {"bom-ref", node.ref}, {"name", component_name(node)}};
  add_hash(component, file.sha256);
  component["properties"] =
      Json::array({property("path", place_text(file.container, file.path)),
                   property("kind", printable(file.kind)), property("size", concat(file.size))});
  return component;
}

Json package_component(const SbomNode& node) {
  const Package& package = *node.package;
  const bool is_named = !package.name.empty();
  Json component = {{"type", is_named ? "library" : "file"},
                    {"bom-ref", node.ref},
                    {"name", component_name(node)}};
  if (const auto supplier = supplier_of(package)) {
    component["supplier"] = {{"name", supplier->name}};
    if (!supplier->email.empty())
      component["supplier"]["contact"] = Json::array({{{"email", supplier->email}}});
  }
  if (!package.version.empty()) component["version"] = printable(package.version);
  if (const std::string text = description_of(package); !text.empty())
    component["description"] = text;
  add_hash(component, package.sha256);
  if (const std::string license = license_of(package); !license.empty()) {
    component["licenses"] =
        Json::array({{{"license", {{is_spdx_license(license) ? "id" : "name", license}}}}});
  }
  if (is_named) {
    component["purl"] =
        package_url(package.kind, package.name, package.version, package.architecture);
  }
  component["properties"] =
      Json::array({property("path", place_text(package.container, package.path)),
                   property("kind", name(package.kind)), property("size", concat(package.size)),
                   property("verdict", name(package.verdict))});
  return component;
}

// Each component within its container. From last to first, because nested ones come later.
Json nested(const std::vector<SbomNode>& nodes) {
  std::vector<Json> components;
  for (const SbomNode& node : nodes) {
    components.push_back(node.package != nullptr ? package_component(node)
                                                 : container_component(node));
  }
  std::vector<std::vector<std::size_t>> children(nodes.size());
  std::vector<std::size_t> tops;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    (nodes[i].parent ? children[*nodes[i].parent] : tops).push_back(i);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (children[i].empty()) continue;
    Json parts = Json::array();
    for (const std::size_t child : children[i]) parts.push_back(std::move(components[child]));
    components[i]["components"] = std::move(parts);
  }
  Json list = Json::array();
  for (const std::size_t top : tops) list.push_back(std::move(components[top]));
  return list;
}

Json dependencies(const std::vector<SbomNode>& nodes) {
  Json list = Json::array();
  for (const SbomNode& node : nodes) {
    if (node.package == nullptr) continue;
    Json needed = Json::array();
    for (const std::size_t index : node.depends_on) needed.push_back(nodes[index].ref);
    list.push_back({{"ref", node.ref}, {"dependsOn", std::move(needed)}});
  }
  return list;
}

}  // namespace

Json cyclonedx_document(const Inspection& inspection, const SbomFrame& frame) {
  const std::vector<SbomNode> nodes = sbom_nodes(inspection);
  return {
      {"$schema", "http://cyclonedx.org/schema/bom-1.5.schema.json"},
      {"bomFormat", "CycloneDX"},
      {"specVersion", "1.5"},
      {"serialNumber", concat("urn:uuid:", sbom_uuid(nodes, "cyclonedx"))},
      {"version", 1},
      {"metadata",
       {{"timestamp", frame.created_at},
        {"tools",
         {{"components",
           Json::array(
               {{{"type", "application"}, {"name", "topsctl"}, {"version", topsctl_version()}}})}}},
        {"component",
         {{"type", "file"}, {"bom-ref", bundle_ref}, {"name", printable(frame.name)}}}}},
      {"components", nested(nodes)},
      {"dependencies", dependencies(nodes)}};
}

}  // namespace topsctl
