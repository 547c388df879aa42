// Finds and reads the packages of a bundle; what a file is comes from its content first.
#include "topsctl/host/bundle/bundle.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/bundle/bundle_files.hpp"
#include "topsctl/host/debian/deb.hpp"
#include "topsctl/host/python/wheel_install.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::string first_bytes(const fs::path& file) {
  const Descriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!input.is_open()) throw system_error(errno, "read", file.string(), ErrorCode::bad_bundle);
  std::array<char, 64> bytes{};
  const ssize_t got = ::read(input.get(), bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

PackageKind kind_by_name(const fs::path& file) {
  const std::string extension = lower_case(file.extension().string());
  if (looks_like_deb(first_bytes(file)) || extension == ".deb") return PackageKind::deb;
  if (extension == ".whl") return PackageKind::wheel;
  if (extension == ".run") return PackageKind::runfile;
  return PackageKind::other;
}

void read_metadata(Package& package) {
  if (package.kind == PackageKind::deb) read_deb_control(package.location, package);
  if (package.kind == PackageKind::wheel) read_wheel_metadata(package.location, package);
}

Package read_package(const fs::path& file, const std::string& shown, PackageKind kind,
                     Digests digests) {
  Package package;
  package.path = printable(shown);
  package.location = file.string();
  package.kind = kind;
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) package.size = static_cast<std::uint64_t>(status.st_size);
  try {
    read_metadata(package);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_package) throw;
    package.verdict = Verdict::broken;
    package.problem = error.message();
  }
  if (digests == Digests::each) package.sha256 = sha256_of_file(file);
  const std::vector<std::string> parts = split(shown, '/');
  if (package.verdict != Verdict::broken &&
      std::find(parts.begin(), parts.end(), "archived_versions") != parts.end()) {
    package.verdict = Verdict::archived;
  }
  return package;
}

}  // namespace

Inventory read_inventory(const std::vector<fs::path>& paths, Digests digests,
                         const std::function<void(const std::string&)>& on_file) {
  Inventory inventory;
  for (const fs::path& path : paths) {
    for (const FoundFile& found : files_under(path)) {
      const PackageKind kind = kind_by_name(found.file);
      if (kind == PackageKind::other) {
        ++inventory.other_files;
        continue;
      }
      if (on_file) on_file(found.shown);
      inventory.packages.push_back(read_package(found.file, found.shown, kind, digests));
    }
  }
  if (inventory.packages.empty()) {
    throw Error(
        ErrorCode::bad_bundle, format("no package found in {}", in_quotes(paths.front().string())),
        "a bundle holds .deb and .whl files; extract a .run with its option --extract-only");
  }
  return inventory;
}

Contents read_payload(Package& package) {
  if (package.kind == PackageKind::deb) return read_deb_payload(package.location, package);
  if (package.kind == PackageKind::wheel) return read_wheel_payload(package.location, package);
  return {};
}

}  // namespace topsctl
