// The JSON form of a difference between bundles.
#include "topsctl/engine/reporting/bundle_diff_json.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/reporting/package_diff.hpp"

namespace topsctl {

namespace {

// Objects with one field, because lists in documents contain objects.
Json objects(const char* field, const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back({{field, text}});
  return list;
}

Json item(const std::string& path) {
  return {{"path", path}};
}

Json item(const FileChange& change) {
  return {{"path", change.path},
          {"before", change.before ? Json(*change.before) : Json(nullptr)},
          {"after", change.after ? Json(*change.after) : Json(nullptr)}};
}

// Null: the file did not exist.
Json item(const ModeChange& change) {
  return {{"path", change.path},
          {"before", change.before == 0 ? Json(nullptr) : Json(octal_mode(change.before))},
          {"after", octal_mode(change.after)},
          {"gains_setuid", change.gains_setuid()}};
}

Json item(const SonameChange& change) {
  return {{"before", change.before}, {"after", change.after}};
}

Json item(const ContainerChange& change) {
  return {{"place", change.place},
          {"before", change.is_new ? Json(nullptr) : Json(change.size_before)},
          {"after", change.is_gone ? Json(nullptr) : Json(change.size_after)}};
}

Json item(const SettingChange& change) {
  return {{"name", change.name},
          {"before", objects("value", change.before)},
          {"after", objects("value", change.after)}};
}

template <class Item>
Json excerpt(const Excerpt<Item>& list) {
  Json items = Json::array();
  for (const Item& each : list.first) items.push_back(item(each));
  return {{"count", list.count}, {"first", std::move(items)}};
}

// Like excerpt(), for names that are not paths.
Json names(const Excerpt<std::string>& list) {
  return {{"count", list.count}, {"first", objects("name", list.first)}};
}

Json to_json(const PackageEntry& entry) {
  return {{"kind", name(entry.kind)},
          {"name", text_or_null(entry.name)},
          {"version", text_or_null(entry.version)},
          {"python_minor", entry.python_minor ? Json(*entry.python_minor) : Json(nullptr)},
          {"place", entry.place},
          {"size", entry.size}};
}

Json to_json(const ScriptChange& change) {
  return {{"name", change.name},
          {"change", change.is_new    ? "added"
                     : change.is_gone ? "removed"
                                      : "changed"},
          {"lines_added", change.lines.added},
          {"lines_removed", change.lines.removed},
          {"first_lines", objects("text", change.lines.first)}};
}

Json files(const PackageDiff& diff) {
  if (!diff.files_compared) return nullptr;
  return {{"added", excerpt(diff.files_added)},
          {"removed", excerpt(diff.files_removed)},
          {"changed", excerpt(diff.files_changed)},
          {"modes", excerpt(diff.modes_changed)}};
}

Json libraries(const PackageDiff& diff) {
  if (!diff.contents_compared) return nullptr;
  return {{"sonames_gained", names(diff.sonames_gained)},
          {"sonames_lost", names(diff.sonames_lost)},
          {"sonames_bumped", excerpt(diff.sonames_bumped)},
          {"needed_gained", names(diff.needed_gained)},
          {"glibc_before", text_or_null(diff.glibc_before)},
          {"glibc_after", text_or_null(diff.glibc_after)}};
}

Json to_json(const PackageDiff& diff) {
  Json scripts = Json::array();
  for (const ScriptChange& change : diff.scripts) scripts.push_back(to_json(change));
  Json relations = Json::array();
  for (const RelationChange& change : diff.relations) {
    relations.push_back({{"field", change.field},
                         {"lost", objects("clause", change.lost)},
                         {"gained", objects("clause", change.gained)}});
  }
  return {
      {"before", to_json(diff.before)},
      {"after", to_json(diff.after)},
      {"change", name(diff.change)},
      {"files", files(diff)},
      {"conffiles",
       {{"added", excerpt(diff.conffiles_added)}, {"removed", excerpt(diff.conffiles_removed)}}},
      {"libraries", libraries(diff)},
      {"scripts", std::move(scripts)},
      {"relations", std::move(relations)}};
}

template <class Item>
Json list_of(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& each : items) list.push_back(to_json(each));
  return list;
}

}  // namespace

Json to_json(const BundleDiff& diff) {
  return {{"added", list_of(diff.added)},
          {"removed", list_of(diff.removed)},
          {"changed", list_of(diff.changed)},
          {"same", diff.same},
          {"containers", excerpt(diff.containers)},
          {"settings", diff.settings_compared ? excerpt(diff.settings) : Json(nullptr)}};
}

}  // namespace topsctl
