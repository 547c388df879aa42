// Finds and reads the packages of a bundle; detects file types by content first.
#include "topsctl/host/bundle/bundle.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/source.hpp"
#include "topsctl/host/debian/deb.hpp"
#include "topsctl/host/python/wheel_install.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The kind and the size of a file.
struct Look {
  PackageKind kind = PackageKind::other;
  std::uint64_t size = 0;  // bytes
};

Look look_at(const fs::path& file) {
  const Descriptor input = open_input(file);
  struct stat status {};
  if (!input.is_open() || ::fstat(input.get(), &status) != 0)
    throw system_error(errno, "read", file.string(), ErrorCode::bad_bundle);
  Look look;
  look.size = static_cast<std::uint64_t>(status.st_size);
  std::array<char, 64> bytes{};
  const ssize_t got = ::read(input.get(), bytes.data(), bytes.size());
  const std::string_view head(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  const std::string extension = lower_case(file.extension().string());
  if (looks_like_deb(head) || extension == ".deb") {
    look.kind = PackageKind::deb;
  } else if (extension == ".whl") {
    look.kind = PackageKind::wheel;
  } else if (extension == ".run") {
    look.kind = PackageKind::runfile;
  }
  return look;
}

void read_metadata(Package& package) {
  if (package.kind == PackageKind::deb) read_deb_control(package.location, package);
  if (package.kind == PackageKind::wheel) read_wheel_metadata(package.location, package);
}

Package read_package(const FoundFile& found, const Look& look) {
  Package package;
  package.path = printable(found.shown);
  package.location = found.file.string();
  package.kind = look.kind;
  package.size = look.size;
  try {
    read_metadata(package);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_package) throw;
    package.verdict = Verdict::broken;
    package.problem = error.message();
  }
  const std::vector<std::string> parts = split(found.shown, '/');
  if (package.verdict != Verdict::broken &&
      std::find(parts.begin(), parts.end(), "archived_versions") != parts.end()) {
    package.verdict = Verdict::archived;
  }
  return package;
}

std::string text_of(const fs::path& file) {
  const auto source = file_source(file);
  std::string text;
  for (std::string_view bytes = source->piece(); !bytes.empty() && text.size() <= most_setup;
       bytes = source->piece())
    text.append(bytes);
  return text;
}

}  // namespace

Inventory read_inventory(const FoundFiles& found,
                         const std::function<void(const std::string&)>& on_file) {
  Inventory inventory;
  for (const FoundFile& file : found.files) {
    const Look look = look_at(file.file);
    if (look.kind == PackageKind::other) {
      ++inventory.other_files;
      if (inventory.release.empty() && file.file.filename() == setup_file &&
          look.size <= most_setup)
        inventory.release = release_in_setup(text_of(file.file));
      continue;
    }
    if (on_file) on_file(file.shown);
    inventory.packages.push_back(read_package(file, look));
  }
  if (inventory.packages.empty()) {
    throw Error(ErrorCode::bad_bundle, format("no package found in {}", in_quotes(found.subject)),
                "a bundle contains .deb and .whl files; unpack a .run with `sh FILE --noexec "
                "--target DIR`");
  }
  return inventory;
}

Contents read_payload(Package& package) {
  if (package.kind == PackageKind::deb) return read_deb_payload(package.location, package);
  if (package.kind == PackageKind::wheel) return read_wheel_payload(package.location, package);
  return {};
}

}  // namespace topsctl
