// JSON form of packages.
#include "topsctl/model/package.hpp"

#include <nlohmann/json.hpp>

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

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json to_json(const std::optional<PythonNeeds>& python) {
  if (!python) return nullptr;
  return {{"requires", text_or_null(python->requires_python)},
          {"tags", python->tags},
          {"minor", python->minor ? Json(*python->minor) : Json(nullptr)}};
}

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
    case PayloadEntry::Type::other:
      return "other";
  }
  return "other";
}

Json to_json(const std::optional<std::vector<PayloadEntry>>& files) {
  if (!files) return nullptr;
  Json list = Json::array();
  for (const PayloadEntry& entry : *files) {
    list.push_back({{"path", entry.path}, {"type", name(entry.type)}, {"size", entry.size}});
  }
  return list;
}

}  // namespace

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
      {"files", to_json(package.files)},
      {"verdict", name(package.verdict)},
      {"problem", text_or_null(package.problem)}};
}

}  // namespace topsctl
