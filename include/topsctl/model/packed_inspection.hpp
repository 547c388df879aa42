// Serialization of inspection results by base/packing.hpp. A missing member does not compile.
#pragma once

#include <tuple>

#include "topsctl/base/packing.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/inspection.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

constexpr Depth last_of(Depth /*type*/) {
  return Depth::deep;
}
constexpr PackageKind last_of(PackageKind /*type*/) {
  return PackageKind::other;
}
constexpr PayloadEntry::Type last_of(PayloadEntry::Type /*type*/) {
  return PayloadEntry::Type::other;
}
constexpr Verdict last_of(Verdict /*type*/) {
  return Verdict::broken;
}
constexpr Fault last_of(Fault /*type*/) {
  return Fault::refused_by_dpkg;
}
constexpr Mismatch::Kind last_of(Mismatch::Kind /*type*/) {
  return Mismatch::Kind::no_digest;
}
constexpr StrangeEntry::Kind last_of(StrangeEntry::Kind /*type*/) {
  return StrangeEntry::Kind::bad_name;
}
constexpr Severity last_of(Severity /*type*/) {
  return Severity::critical;
}
constexpr Risk last_of(Risk /*type*/) {
  return Risk::reboot;
}

inline auto members_of(PythonNeeds& value) {
  auto& [requires_python, tags, minor] = value;
  return std::tie(requires_python, tags, minor);
}
inline auto members_of(PayloadEntry& value) {
  auto& [path, type, size, mode, owner, mtime, link_target] = value;
  return std::tie(path, type, size, mode, owner, mtime, link_target);
}
inline auto members_of(MaintainerScript& value) {
  auto& [name, text] = value;
  return std::tie(name, text);
}
inline auto members_of(DebFacts& value) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = value;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
}
inline auto members_of(WheelFault& value) {
  auto& [finding, place, why] = value;
  return std::tie(finding, place, why);
}
inline auto members_of(WheelFacts& value) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
}
inline auto members_of(Package& value) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, za] = value;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, za);
}
inline auto members_of(Inventory& value) {
  auto& [packages, other_files, release] = value;
  return std::tie(packages, other_files, release);
}
inline auto members_of(Mismatch& value) {
  auto& [kind, path, expected, found] = value;
  return std::tie(kind, path, expected, found);
}
inline auto members_of(StrangeEntry& value) {
  auto& [kind, path, detail] = value;
  return std::tie(kind, path, detail);
}
inline auto members_of(Setting& value) {
  auto& [name, text] = value;
  return std::tie(name, text);
}
inline auto members_of(ElfVersionNeed& value) {
  auto& [library, versions] = value;
  return std::tie(library, versions);
}
inline auto members_of(ElfFacts& value) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = value;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
}
inline auto members_of(ElfFile& value) {
  auto& [path, facts] = value;
  return std::tie(path, facts);
}
inline auto members_of(Contents& value) {
  auto& [a, b, c, d, e, f, g, h, i] = value;
  return std::tie(a, b, c, d, e, f, g, h, i);
}
inline auto members_of(ContainerFile& value) {
  auto& [a, b, c, d, e, f, g, h, i, j] = value;
  return std::tie(a, b, c, d, e, f, g, h, i, j);
}
inline auto members_of(OtherFile& value) {
  auto& [path, container, size] = value;
  return std::tie(path, container, size);
}
inline auto members_of(Inspection& value) {
  auto& [depth, inventory, contents, containers, others, settings] = value;
  return std::tie(depth, inventory, contents, containers, others, settings);
}
inline auto members_of(Evidence& value) {
  auto& [source, line, text] = value;
  return std::tie(source, line, text);
}
inline auto members_of(Remedy& value) {
  auto& [text, command, risk] = value;
  return std::tie(text, command, risk);
}
inline auto members_of(Finding& value) {
  auto& [id, severity, title, subject, evidence, cause, remedy] = value;
  return std::tie(id, severity, title, subject, evidence, cause, remedy);
}

}  // namespace topsctl
