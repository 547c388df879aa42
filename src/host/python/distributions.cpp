// Lists the installed distributions of an interpreter, by name and version.
#include "host/python/distributions.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/content/stanza.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_distributions = 20'000;
constexpr std::uint64_t most_distribution_metadata = 4ULL << 20U;

std::optional<std::string> text_if_readable(const fs::path& file) {
  try {
    return read_text_if_present(file, most_distribution_metadata);
  } catch (const Error&) {
    return std::nullopt;  // a directory, too large, or not readable for us
  }
}

std::optional<std::string> metadata_of(const fs::path& entry) {
  if (entry.extension() == ".dist-info") return text_if_readable(entry / "METADATA");
  if (auto text = text_if_readable(entry / "PKG-INFO")) return text;
  return text_if_readable(entry);
}

}  // namespace

// Name and version from the metadata, else from the file name: "name-version.dist-info",
// "name-version-py3.8.egg-info".
InstalledWheel read_distribution(const fs::path& entry) {
  InstalledWheel distribution;
  if (auto metadata = metadata_of(entry)) {
    const Stanza stanza = parse_stanza(*metadata);
    distribution.name = printable(stanza.value("Name"));
    distribution.version = printable(stanza.value("Version"));
    distribution.record = std::move(*metadata);
  }
  const std::vector<std::string> parts = split(entry.stem().string(), '-');
  if (distribution.name.empty()) distribution.name = printable(parts[0]);
  if (distribution.version.empty() && parts.size() > 1) distribution.version = printable(parts[1]);
  return distribution;
}

std::vector<InstalledWheel> read_distributions(const Host& host, const PythonFacts& python) {
  std::vector<InstalledWheel> distributions;
  std::vector<fs::path> seen;
  for (const std::string& site : python.site_directories) {
    const fs::path folder = host.resolve(site);
    if (std::find(seen.begin(), seen.end(), folder) != seen.end()) continue;
    seen.push_back(folder);
    std::vector<fs::path> entries;
    std::error_code failure;
    for (auto at = fs::directory_iterator(folder, failure);
         !failure && at != fs::directory_iterator(); at.increment(failure)) {
      const std::string name = at->path().filename().string();
      if ((name.ends_with(".dist-info") || name.ends_with(".egg-info")) &&
          name.find_first_of("~.") != 0)
        entries.push_back(at->path());
    }
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) {
      if (distributions.size() == most_distributions) return distributions;
      distributions.push_back(read_distribution(entry));
      distributions.back().record.clear();
    }
  }
  return distributions;
}

}  // namespace topsctl
