// Computes a digest of the records of dpkg and pip.
#include "engine/status/stack_digest.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"
#include "topsctl/host/python/wheel_record.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

// Excludes files that its installer adds or rewrites for an interpreter.
bool is_of_wheel(const RecordLine& line) {
  const auto is_named = [&](std::string_view name) {
    return line.path.ends_with(concat(".dist-info/", name));
  };
  return !line.digest.empty() && !line.path.starts_with("../") && !line.path.starts_with('/') &&
         !is_named("INSTALLER") && !is_named("REQUESTED") && !is_named("direct_url.json");
}

std::string contents_of(const InstalledWheel& wheel) {
  std::vector<std::string> lines;
  for (const RecordLine& line : parse_record(wheel.record, wheel.dist_info)) {
    if (is_of_wheel(line)) lines.push_back(concat(line.path, " ", line.digest));
  }
  std::sort(lines.begin(), lines.end());
  return sha256_of(joined(lines, "\n"));
}

}  // namespace

std::string stack_digest(const std::map<std::string, InstalledDeb>& debs,
                         const std::vector<InstalledWheel>& wheels) {
  std::vector<std::string> lines;
  for (const auto& [name, deb] : debs) {
    if (is_installed(deb.status))
      lines.push_back(concat("deb ", name, " ", deb.version, " ", sha256_of(deb.md5sums)));
  }
  for (const InstalledWheel& wheel : wheels)
    lines.push_back(concat("wheel ", wheel.name, " ", wheel.version, " ", contents_of(wheel)));
  std::sort(lines.begin(), lines.end());
  return sha256_of(joined(lines, "\n"));
}

}  // namespace topsctl
