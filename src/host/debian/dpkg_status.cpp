// Reads dpkg's database (status file, updates, diversions and lists) and the features of dpkg
// versions.
#include "topsctl/host/debian/dpkg_status.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_map>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/content/stanza.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_status = 256ULL << 20U;

std::string one_line(std::string_view value) {
  std::string line(trimmed(value));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return printable(line);
}

// dpkg's commands fail there too.
[[noreturn]] void refuse_status(const std::string& package, const std::string& value) {
  throw Error(ErrorCode::host_unfit,
              format("dpkg's database is damaged: package {} has the status {}", in_quotes(package),
                     in_quotes(one_line(value))),
              "repair the line of /var/lib/dpkg/status that `dpkg --audit` names, or use "
              "/var/lib/dpkg/status-old");
}

constexpr std::size_t md5_digits = 32;

// "/etc/a b 0123 obsolete": the path may contain blanks, so the other words are removed first.
void take_conffiles(TargetPackage& package, const std::string& value) {
  for (const std::string& line : split(value, '\n')) {
    std::string_view rest = trimmed(line);
    const bool is_obsolete = rest.ends_with(" obsolete");
    for (const std::string_view mark : {" obsolete", " remove-on-upgrade"}) {
      if (rest.ends_with(mark)) rest.remove_suffix(mark.size());
    }
    const auto blank = rest.rfind(' ');
    if (blank == std::string_view::npos || blank == 0) continue;
    package.conffiles.emplace_back(rest.substr(0, blank));
    const std::string_view digest = rest.substr(blank + 1);
    if (is_obsolete) package.obsolete_conffiles.push_back(package.conffiles.back());
    // It is "newconffile" before it is configured.
    if (digest.size() == md5_digits)
      package.conffile_md5s.emplace(package.conffiles.back(), digest);
  }
}

void take_field(TargetPackage& package, std::string& pre_depends, const std::string& name,
                const std::string& value) {
  static const std::unordered_map<std::string, std::string TargetPackage::*> texts = {
      {"package", &TargetPackage::name},
      {"version", &TargetPackage::version},
      {"architecture", &TargetPackage::architecture},
      {"multi-arch", &TargetPackage::multi_arch},
      {"depends", &TargetPackage::depends},
      {"provides", &TargetPackage::provides},
      {"breaks", &TargetPackage::breaks},
      {"conflicts", &TargetPackage::conflicts},
      {"replaces", &TargetPackage::replaces}};
  if (const auto text = texts.find(name); text != texts.end()) {
    package.*(text->second) = one_line(value);
  } else if (name == "status") {
    const auto status = parse_dpkg_status(one_line(value));
    if (!status) refuse_status(package.name, value);
    package.status = *status;
  } else if (name == "pre-depends") {
    pre_depends = one_line(value);
  } else if (name == "essential") {
    package.essential = lower_case(value) == "yes";
  } else if (name == "conffiles") {
    take_conffiles(package, value);
  }
}

TargetPackage package_of(const Stanza& stanza) {
  TargetPackage package;
  std::string pre_depends;
  for (const auto& [name, value] : stanza.fields)
    take_field(package, pre_depends, lower_case(name), value);
  if (package.depends.empty() || pre_depends.empty()) {
    package.depends = concat(pre_depends, package.depends);
  } else {
    package.depends = concat(pre_depends, ", ", package.depends);
  }
  return package;
}

// dpkg identifies a package by its name, and by its architecture too if it may be installed for
// several.
std::string identity(const TargetPackage& package) {
  return package.multi_arch == "same" ? concat(package.name, ":", package.architecture)
                                      : package.name;
}

// Files of the `updates` directory, oldest first. Their names are numbers of one width; dpkg
// ignores all others.
std::vector<fs::path> updates(const Host& host) {
  std::vector<fs::path> files;
  const fs::path directory = host.resolve(concat(dpkg_directory, "/updates"));
  std::error_code failure;
  for (auto at = fs::directory_iterator(directory, failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    if (is_digits(at->path().filename().string())) files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void merge_updates(const Host& host, std::vector<TargetPackage>& packages) {
  const std::vector<fs::path> files = updates(host);
  if (files.empty()) return;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < packages.size(); ++i) places[identity(packages[i])] = i;
  for (const fs::path& file : files) {
    const auto text = read_text_if_present(file, most_status);
    for (TargetPackage& package : parse_packages(text.value_or(""))) {
      const auto [place, is_new] = places.try_emplace(identity(package), packages.size());
      if (is_new) {
        packages.push_back(std::move(package));
      } else {
        packages[place->second] = std::move(package);
      }
    }
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  std::erase(lines, std::string());
  return lines;
}

// info/NAME.SUFFIX, or info/NAME:ARCH.SUFFIX for packages that may be there for several
// architectures.
std::string info_file(const Host& host, const TargetPackage& package, const char* suffix) {
  for (const std::string& name : {package.name, concat(package.name, ":", package.architecture)}) {
    const auto text =
        read_text_if_present(host.resolve(concat(dpkg_directory, "/info/", name, ".", suffix)));
    if (text) return *text;
  }
  return {};
}

InstalledDeb read_deb(const Host& host, const TargetPackage& package) {
  InstalledDeb deb;
  deb.name = package.name;
  deb.version = package.version;
  deb.architecture = package.architecture;
  deb.status = package.status;
  deb.files = lines_of(info_file(host, package, "list"));
  deb.md5sums = info_file(host, package, "md5sums");
  deb.conffiles = package.conffiles;
  deb.conffile_md5s = package.conffile_md5s;
  for (const std::string& path : package.obsolete_conffiles) deb.conffile_md5s.erase(path);
  for (const char* script : {"preinst", "postinst", "prerm", "postrm"})
    deb.scripts += info_file(host, package, script) + "\n";
  deb.has_triggers = !info_file(host, package, "triggers").empty();
  return deb;
}

// The first numbers of a version without its epoch: "1.19.0.5ubuntu2" is 1, 19, 0, 5.
std::vector<int> leading_numbers(std::string_view version) {
  const auto colon = version.find(':');
  if (colon != std::string_view::npos) version.remove_prefix(colon + 1);
  std::vector<int> numbers;
  for (;;) {
    std::size_t digits = 0;
    while (digits < version.size() && is_digits(version.substr(digits, 1))) ++digits;
    if (digits == 0 || digits > 6) return numbers;
    numbers.push_back(std::stoi(std::string(version.substr(0, digits))));
    version.remove_prefix(digits);
    if (!version.starts_with('.')) return numbers;
    version.remove_prefix(1);
  }
}

// Ubuntu's own dpkg unpacks zstd since 1.19.0.5ubuntu2, the one of 18.04 (its changelog).
bool is_ubuntu_with_zstd(std::string_view version, const std::vector<int>& numbers) {
  constexpr std::string_view mark = "ubuntu";
  const auto at = version.find(mark);
  if (at == std::string_view::npos) return false;
  const std::vector<int> first = {1, 19, 0, 5};
  if (numbers != first) return numbers > first;
  const std::vector<int> revision = leading_numbers(version.substr(at + mark.size()));
  return !revision.empty() && revision.front() >= 2;
}

}  // namespace

std::vector<TargetPackage> parse_packages(std::string_view status) {
  std::vector<TargetPackage> packages;
  for (const Stanza& stanza : parse_stanzas(status)) {
    TargetPackage package = package_of(stanza);
    if (!package.name.empty()) packages.push_back(std::move(package));
  }
  return packages;
}

std::vector<TargetPackage> read_packages(const Host& host) {
  const fs::path file = host.resolve(dpkg_status_file);
  std::error_code failure;
  const auto status = read_text_if_present(file, most_status);
  // A pipe or a device reads as if it were empty.
  if (status && !fs::is_regular_file(file, failure)) {
    throw Error(ErrorCode::host_unfit, format("{} is no file", in_quotes(dpkg_status_file)),
                "restore it: dpkg keeps earlier ones in /var/backups");
  }
  if (!status) {
    throw Error(ErrorCode::host_unfit,
                format("no dpkg database under {}: {} is missing", in_quotes(host.root.string()),
                       dpkg_status_file),
                "name the root directory of a Debian or Ubuntu system with --root");
  }
  std::vector<TargetPackage> packages = parse_packages(*status);
  merge_updates(host, packages);
  std::erase_if(packages, [](const TargetPackage& package) {
    return package.status.state == DpkgState::not_installed;
  });
  return packages;
}

DpkgDatabase read_dpkg_database(const Host& host) {
  return {read_packages(host), read_diversions(host)};
}

bool is_dpkg_at_rest(const Host& host) {
  return updates(host).empty();
}

const TargetPackage* package_named(const std::vector<TargetPackage>& packages,
                                   std::string_view name) {
  const TargetPackage* found = nullptr;
  for (const TargetPackage& package : packages) {
    if (package.name != name) continue;
    if (is_installed(package.status)) return &package;
    if (found == nullptr) found = &package;
  }
  return found;
}

std::map<std::string, InstalledDeb> read_debs(const Host& host,
                                              const std::vector<TargetPackage>& packages,
                                              const std::vector<std::string>& names) {
  std::map<std::string, InstalledDeb> debs;
  for (const std::string& name : names) {
    const TargetPackage* package = package_named(packages, name);
    if (package != nullptr && !debs.contains(name)) debs.emplace(name, read_deb(host, *package));
  }
  return debs;
}

std::vector<std::string> unfinished_packages(const std::vector<TargetPackage>& packages) {
  std::vector<std::string> unfinished;
  for (const TargetPackage& package : packages) {
    if (is_unfinished(package.status))
      unfinished.push_back(concat(package.name, " (", to_text(package.status), ")"));
  }
  return unfinished;
}

std::vector<Diversion> read_diversions(const Host& host) {
  const auto text = read_text_if_present(host.resolve(concat(dpkg_directory, "/diversions")));
  return parse_diversions(text.value_or(""));
}

std::vector<Diversion> parse_diversions(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<Diversion> diversions;
  // Three lines each: the path, its diverted path, and the package that is exempt.
  for (std::size_t i = 0; i + 2 < lines.size(); i += 3) {
    if (is_plain_path(lines[i]) && is_plain_path(lines[i + 1]))
      diversions.push_back({lines[i], lines[i + 1], printable(lines[i + 2])});
  }
  return diversions;
}

std::vector<std::string> dpkg_compressions(std::string_view version) {
  struct Support {
    const char* compression;
    std::vector<int> since;
  };
  // deb(5), "data.tar".
  static const std::array<Support, 5> support = {{{"gzip", {0, 93, 76}},
                                                  {"bzip2", {1, 10, 24}},
                                                  {"lzma", {1, 13, 25}},
                                                  {"xz", {1, 15, 6}},
                                                  {"zstd", {1, 21, 18}}}};
  const std::vector<int> numbers = leading_numbers(version);
  std::vector<std::string> compressions;
  for (const Support& each : support) {
    const bool is_known = numbers >= each.since || (std::string_view(each.compression) == "zstd" &&
                                                    is_ubuntu_with_zstd(version, numbers));
    if (is_known) compressions.emplace_back(each.compression);
  }
  return compressions;
}

}  // namespace topsctl
