// Gathers a target snapshot from dpkg's files, the loader, the interpreters and the mount table.
#include "topsctl/host/facts/target_facts.hpp"

#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompress.hpp"
#include "topsctl/host/content/elf.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/debian/dpkg_owners.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/facts/facts.hpp"
#include "topsctl/host/facts/loader_cache.hpp"
#include "topsctl/host/filesystem/mounts.hpp"
#include "topsctl/host/python/interpreters.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/model/target_snapshot_parser.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_small_file = 1U << 16U;

const TargetPackage* unpacked(const std::vector<TargetPackage>& packages, std::string_view name,
                              std::string_view architecture = {}) {
  const auto found =
      std::find_if(packages.begin(), packages.end(), [&](const TargetPackage& package) {
        return package.name == name && has_files(package.status) &&
               (architecture.empty() || package.architecture == architecture);
      });
  return found == packages.end() ? nullptr : &*found;
}

// The architecture of dpkg's build; else the first one in /var/lib/dpkg/arch, which dpkg writes if
// it has several, its own first.
std::string native_architecture(const Host& host, const std::vector<TargetPackage>& packages) {
  if (const TargetPackage* dpkg = unpacked(packages, "dpkg")) return dpkg->architecture;
  const auto text =
      read_text_if_present(host.resolve(concat(dpkg_directory, "/arch")), most_small_file);
  return printable(trimmed(split(text.value_or(""), '\n').front()));
}

// "2.31" of "2.31-0ubuntu9.9".
std::string upstream_version(std::string_view version) {
  const auto colon = version.find(':');
  if (colon != std::string_view::npos) version.remove_prefix(colon + 1);
  return std::string(version.substr(0, version.find_first_not_of("0123456789.")));
}

// The file that the loader finds for a name; reads nothing for missing libraries.
ElfFacts elf_of(const Host& host, const std::vector<CachedLibrary>& libraries,
                std::string_view soname) {
  const auto found =
      std::find_if(libraries.begin(), libraries.end(),
                   [&](const CachedLibrary& library) { return library.soname == soname; });
  if (found == libraries.end()) return {};
  try {
    return read_elf(host.resolve(found->path), Exports::skip);
  } catch (const Error&) {
    return {};
  }
}

std::string host_name(const Host& host) {
  const auto text = read_text_if_present(host.resolve("/etc/hostname"), most_small_file);
  return printable(trimmed(split(text.value_or(""), '\n').front()));
}

}  // namespace

std::string highest_version(const std::vector<std::string>& versions, std::string_view prefix) {
  std::vector<int> highest;
  std::string text;
  for (const std::string& version : versions) {
    if (!version.starts_with(prefix)) continue;
    const std::string_view rest = std::string_view(version).substr(prefix.size());
    std::vector<int> numbers;
    for (const std::string& part : split(rest, '.')) {
      if (!is_digits(part) || part.size() > 6) break;
      numbers.push_back(std::stoi(part));
    }
    // GLIBC_PRIVATE, CXXABI_TM_1 and the like have no place in the order.
    const auto parts = static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '.')) + 1;
    if (numbers.size() != parts || numbers <= highest) continue;
    highest = std::move(numbers);
    text = rest;
  }
  return text;
}

TargetSnapshot read_target_system(const Host& host, DpkgDatabase database) {
  TargetSnapshot snapshot;
  snapshot.taken_at = timestamp(host.clock->now());
  snapshot.packages = std::move(database.packages);
  for (TargetPackage& package : snapshot.packages) package.conffile_md5s.clear();
  snapshot.owners = read_owners(host, snapshot.packages);
  snapshot.diversions = std::move(database.diversions);
  snapshot.os = os_name(host);
  snapshot.host_name = host_name(host);
  struct utsname running {};
  if (host.root == "/" && ::uname(&running) == 0) {
    const char* node = running.nodename;
    const char* release = running.release;
    snapshot.host_name = printable(node);
    snapshot.kernel = printable(release);
  }
  snapshot.architecture = native_architecture(host, snapshot.packages);
  if (const TargetPackage* dpkg = unpacked(snapshot.packages, "dpkg"))
    snapshot.dpkg_version = dpkg->version;
  snapshot.dpkg_compressions = dpkg_compressions(snapshot.dpkg_version);
  snapshot.libraries = read_libraries(host);
  if (const TargetPackage* libc = unpacked(snapshot.packages, "libc6", snapshot.architecture))
    snapshot.glibc = upstream_version(libc->version);
  if (snapshot.glibc.empty()) {
    snapshot.glibc =
        highest_version(elf_of(host, snapshot.libraries, "libc.so.6").defined_versions, "GLIBC_");
  }
  const ElfFacts cpp = elf_of(host, snapshot.libraries, "libstdc++.so.6");
  snapshot.glibcxx = highest_version(cpp.defined_versions, "GLIBCXX_");
  snapshot.cxxabi = highest_version(cpp.defined_versions, "CXXABI_");
  snapshot.mounts = read_mounts(host);
  return snapshot;
}

TargetSnapshot read_target_snapshot(const Host& host, const std::vector<std::string>& pythons,
                                    const std::function<void(const std::string&)>& left_out,
                                    const std::vector<std::string>& usual) {
  TargetSnapshot snapshot = read_target_system(host, read_dpkg_database(host));
  if (host.root == "/" || is_root_user()) {
    snapshot.pythons = find_interpreters(host, pythons, usual, left_out);
    for (PythonFacts& python : snapshot.pythons) python.scheme = {};  // unused: no install here
  } else {
    snapshot.are_pythons_known = false;
    left_out(format("only root can query the interpreters of {}", in_quotes(host.root.string())));
  }
  return snapshot;
}

TargetSnapshot load_target_snapshot(const fs::path& file) {
  const std::string name = format("snapshot {}", in_quotes(file.string()));
  std::string text;
  try {
    auto raw = std::make_unique<PeekedSource>(file_source(file));
    const std::string compression(compression_of(raw->peek(18)));
    std::unique_ptr<Source> plain = std::move(raw);
    if (compression != "none") plain = decompressed(std::move(plain), compression, {}, name);
    text = whole_text(*plain, most_snapshot_bytes, name);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::permission) throw;
    throw Error(ErrorCode::bad_package, error.message(),
                "give a file written by `topsctl snapshot`");
  }
  return parse_target_snapshot(text, name);
}

std::optional<Host> host_at_root(const Host& host, const std::string& root_or_file) {
  struct stat status {};
  if (::stat(root_or_file.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  Host other = host;
  std::string root = fs::absolute(root_or_file).lexically_normal().string();
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  other.root = root;
  return other;
}

TargetSnapshot target_of(const Host& host, const std::string& root_or_file,
                         const std::vector<std::string>& usual_pythons) {
  constexpr const char* hint =
      "give a host's root directory, / for this host, or a file written by `topsctl snapshot`";
  struct stat status {};
  if (root_or_file.empty() || ::stat(root_or_file.c_str(), &status) != 0) {
    throw Error(ErrorCode::usage,
                format("no such root directory or snapshot: {}", missing_path(root_or_file)), hint);
  }
  if (S_ISREG(status.st_mode)) return load_target_snapshot(root_or_file);
  const std::optional<Host> other = host_at_root(host, root_or_file);
  if (!other) {
    throw Error(ErrorCode::bad_package,
                format("{} is neither a directory nor a file", in_quotes(root_or_file)), hint);
  }
  return read_target_snapshot(
      *other, {}, [](const std::string&) {}, usual_pythons);
}

}  // namespace topsctl
