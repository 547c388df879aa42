// JSON form of packages.
#include "topsctl/model/package.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

std::string_view name(PackageKind kind) {
  switch (kind) {
    case PackageKind::deb:
      return "deb";
    case PackageKind::wheel:
      return "wheel";
    case PackageKind::runfile:
      return "runfile";
    case PackageKind::other:
      return "other";
  }
  return "other";
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::component:
      return "component";
    case Verdict::archived:
      return "archived";
    case Verdict::unknown:
      return "unknown";
    case Verdict::broken:
      return "broken";
  }
  return "unknown";
}

namespace {

Json to_json(const std::optional<PythonNeeds>& python) {
  if (!python) return nullptr;
  return {{"requires", text_or_null(python->requires_python)},
          {"tags", python->tags},
          {"minor", python->minor ? Json(*python->minor) : Json(nullptr)}};
}

}  // namespace

std::string_view name(PayloadEntry::Type type) {
  switch (type) {
    case PayloadEntry::Type::file:
      return "file";
    case PayloadEntry::Type::directory:
      return "directory";
    case PayloadEntry::Type::symlink:
      return "symlink";
    case PayloadEntry::Type::hardlink:
      return "hardlink";
    case PayloadEntry::Type::character_device:
      return "character-device";
    case PayloadEntry::Type::block_device:
      return "block-device";
    case PayloadEntry::Type::fifo:
      return "fifo";
    case PayloadEntry::Type::other:
      return "other";
  }
  return "other";
}

namespace {

Json to_json(const std::optional<DebFacts>& deb) {
  if (!deb) return nullptr;
  Json scripts = Json::array();
  for (const MaintainerScript& script : deb->scripts) scripts.push_back(script.name);
  return {{"format", text_or_null(deb->format)},
          {"compression", text_or_null(deb->compression)},
          {"source", text_or_null(deb->source)},
          {"section", text_or_null(deb->section)},
          {"maintainer", text_or_null(deb->maintainer)},
          {"summary", text_or_null(deb->summary)},
          {"multi_arch", text_or_null(deb->multi_arch)},
          {"essential", deb->essential},
          {"pre_depends", text_or_null(deb->pre_depends)},
          {"depends", text_or_null(deb->depends)},
          {"recommends", text_or_null(deb->recommends)},
          {"suggests", text_or_null(deb->suggests)},
          {"breaks", text_or_null(deb->breaks)},
          {"conflicts", text_or_null(deb->conflicts)},
          {"replaces", text_or_null(deb->replaces)},
          {"provides", text_or_null(deb->provides)},
          {"conffiles", deb->conffiles},
          {"scripts", std::move(scripts)}};
}

Json to_json(const std::optional<WheelFacts>& wheel) {
  if (!wheel) return nullptr;
  return {{"build", text_or_null(wheel->build)},
          {"wheel_version", text_or_null(wheel->wheel_version)},
          {"generator", text_or_null(wheel->generator)},
          {"summary", text_or_null(wheel->summary)},
          {"license", text_or_null(wheel->license)},
          {"root_is_purelib", wheel->root_is_purelib}};
}

}  // namespace

Json to_json(const PayloadEntry& entry, Listing listing) {
  const bool is_known = listing == Listing::read;
  return {{"path", entry.path},
          {"type", name(entry.type)},
          {"size", is_known || entry.size > 0 ? Json(entry.size) : Json(nullptr)},
          {"mode", is_known && entry.mode > 0 ? Json(octal_mode(entry.mode)) : Json(nullptr)},
          {"owner", text_or_null(entry.owner)},
          {"mtime", is_known ? Json(entry.mtime) : Json(nullptr)},
          {"link_target", text_or_null(entry.link_target)}};
}

Json to_json(const Package& package) {
  return {
      {"path", package.path},
      {"container", package.container},
      {"kind", name(package.kind)},
      {"name", text_or_null(package.name)},
      {"version", text_or_null(package.version)},
      {"architecture", text_or_null(package.architecture)},
      {"python", to_json(package.python)},
      {"depends", package.depends},
      {"size", package.size},
      {"installed_size", package.installed_size ? Json(*package.installed_size) : Json(nullptr)},
      {"sha256", text_or_null(package.sha256)},
      {"component", text_or_null(package.component)},
      {"stack", text_or_null(package.stack)},
      {"chosen", package.chosen},
      {"verdict", name(package.verdict)},
      {"problem", text_or_null(package.problem)},
      {"deb", to_json(package.deb)},
      {"wheel", to_json(package.wheel)},
      {"files_are_claims", package.files_are_claims}};
}

}  // namespace topsctl
