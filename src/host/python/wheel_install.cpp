// Reads wheels that are to be installed; judges their problems as `inspect` does.
#include "topsctl/host/python/wheel_install.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/python/wheel.hpp"
#include "topsctl/host/python/wheel_contents.hpp"
#include "topsctl/host/python/wheel_layout.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/parallel.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The zip of a file, which stays open while it is read.
class OpenWheel {
 public:
  explicit OpenWheel(const fs::path& file)
      : file_(open_input(file)), name_(file.filename().string()), zip_(range_of(file), name_) {}

  const std::string& name() const { return name_; }
  const ZipReader& zip() const { return zip_; }

 private:
  FileRange range_of(const fs::path& file) const {
    struct stat status {};
    if (!file_.is_open() || ::fstat(file_.get(), &status) != 0) {
      throw system_error(errno, "read", file.string());
    }
    return {file_.get(), 0, static_cast<std::uint64_t>(status.st_size)};
  }

  Descriptor file_;
  std::string name_;
  ZipReader zip_;
};

// The name decides which component of a stack it is.
void refuse_other_name(const OpenWheel& wheel, const Package& package) {
  if (normalized_name(package.name) == normalized_name(package.wheel->file_name)) return;
  throw Error(ErrorCode::bad_package,
              format("cannot read {}: METADATA names the package {}", in_quotes(wheel.name()),
                     in_quotes(package.name)),
              "the file is damaged or not a wheel: get a new copy from the vendor's bundle");
}

}  // namespace

void read_wheel_metadata(const fs::path& file, Package& package) {
  const OpenWheel wheel(file);
  read_wheel_metadata(wheel.zip(), wheel.name(), package);
  refuse_other_name(wheel, package);
  // Declared values must not count as verified.
  package.record.clear();
  package.files.reset();
  package.files_are_claims = false;
}

Contents read_wheel_payload(const fs::path& file, Package& package) {
  const OpenWheel wheel(file);
  Package read;
  read_wheel_metadata(wheel.zip(), wheel.name(), read);
  // Without libdeflate, so that everything that pip rejects is rejected before any change.
  Contents contents =
      read_wheel_contents(wheel.zip(), read, {.threads = usual_threads(), .memory = 0});
  std::vector<PayloadEntry> files;
  for (const ZipEntry& entry : wheel.zip().entries()) {
    // pip recognizes the metadata of another distribution even if it is an empty directory.
    const bool is_of_another = entry.type == PayloadEntry::Type::directory &&
                               entry.path.find('/') == std::string::npos &&
                               lower_case(entry.path).ends_with(".dist-info") &&
                               !(read.wheel && entry.path == read.wheel->dist_info);
    if (entry.type != PayloadEntry::Type::file && !is_of_another) continue;
    // Commands are in package.scripts.
    if (wheel_destination(entry.path).kind == WheelDestination::Kind::script) continue;
    files.push_back({wheel_file(entry).path, entry.type, entry.size});
  }
  package.wheel = std::move(read.wheel);
  package.record = std::move(read.record);
  package.files = std::move(files);
  package.files_are_claims = false;
  return contents;
}

}  // namespace topsctl
