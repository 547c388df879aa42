// Reads wheels that are to be installed: whatever is not as it should be is refused.
#include "topsctl/host/python/wheel_install.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/python/wheel.hpp"
#include "topsctl/host/python/wheel_contents.hpp"
#include "topsctl/host/python/wheel_layout.hpp"
#include "topsctl/host/python/wheel_record.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/parallel.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_wheel(const std::string& file, const std::string& why,
                               std::string hint = {}) {
  if (hint.empty())
    hint = "the file is damaged or not a wheel: get it again from the vendor's bundle";
  throw Error(ErrorCode::bad_package, format("cannot read {}: {}", in_quotes(file), why),
              std::move(hint));
}

// The zip of a file, and the file for as long as it is read.
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

void refuse_strange_name(const OpenWheel& wheel) {
  for (const ZipEntry& entry : wheel.zip().entries()) {
    if (entry.escapes) {
      refuse_wheel(wheel.name(),
                   format("entry {} points out of the package", in_quotes(entry.raw_path)),
                   "do not install this file: no sound package holds such a name");
    }
  }
}

void refuse_other_name(const OpenWheel& wheel, const Package& package) {
  const std::string& expected = package.wheel->file_name;
  if (!is_info_of(package.wheel->dist_info, expected)) {
    refuse_wheel(wheel.name(), format("not a wheel: no METADATA for {}", in_quotes(expected)));
  }
  if (normalized_name(package.name) != normalized_name(expected)) {
    refuse_wheel(wheel.name(), format("METADATA says it is {}", in_quotes(package.name)));
  }
}

void refuse_strange_entries(const OpenWheel& wheel) {
  for (const ZipEntry& entry : wheel.zip().entries()) {
    if (entry.type == PayloadEntry::Type::directory) continue;
    if (entry.type != PayloadEntry::Type::file) {
      refuse_wheel(wheel.name(), format("{} is no regular file", in_quotes(entry.path)));
    }
    if (wheel_destination(entry.path).kind == WheelDestination::Kind::elsewhere) {
      refuse_wheel(wheel.name(),
                   format("{} would be installed nobody knows where", in_quotes(entry.path)),
                   "no installer knows that folder of .data: get a sound wheel from its vendor");
    }
  }
}

void refuse_mismatch(const OpenWheel& wheel, const Mismatch& mismatch) {
  const std::string path = in_quotes(mismatch.path);
  switch (mismatch.kind) {
    case Mismatch::Kind::missing:
      refuse_wheel(wheel.name(), format("RECORD lists {}, which is not in the wheel", path));
    case Mismatch::Kind::no_digest:
      refuse_wheel(wheel.name(), format("RECORD has no sha256 for {}", path));
    case Mismatch::Kind::digest:
      refuse_wheel(wheel.name(), format("{} is not what RECORD says: its sha256 differs", path));
    case Mismatch::Kind::unlisted:
      refuse_wheel(wheel.name(), format("{} is not listed in RECORD", path));
    case Mismatch::Kind::size:
      return;  // the digest is right
  }
}

}  // namespace

void read_wheel_metadata(const fs::path& file, Package& package) {
  const OpenWheel wheel(file);
  refuse_strange_name(wheel);
  read_wheel_metadata(wheel.zip(), wheel.name(), package);
  refuse_other_name(wheel, package);
  // What is only claimed must not be taken for known.
  package.record.clear();
  package.files.reset();
  package.files_are_claims = false;
}

Contents read_wheel_payload(const fs::path& file, Package& package) {
  const OpenWheel wheel(file);
  Package read;
  refuse_strange_name(wheel);
  read_wheel_metadata(wheel.zip(), wheel.name(), read);
  refuse_strange_entries(wheel);
  // Without libdeflate: what pip refuses is refused before anything is changed.
  Contents contents =
      read_wheel_contents(wheel.zip(), read, {.threads = usual_threads(), .memory = 0});
  for (const StrangeEntry& entry : contents.strange) {
    refuse_wheel(wheel.name(), entry.kind == StrangeEntry::Kind::duplicate
                                   ? format("{} is there twice", in_quotes(entry.path))
                                   : format("{} is no file to install", in_quotes(entry.path)));
  }
  for (const Mismatch& mismatch : contents.mismatches) refuse_mismatch(wheel, mismatch);
  for (const RecordLine& line : parse_record(read.record, wheel.name())) {
    if (line.sha256.empty() && !line.algorithm.empty()) {
      refuse_wheel(wheel.name(), format("RECORD has no sha256 for {}", in_quotes(line.path)));
    }
  }
  std::vector<PayloadEntry> files;
  for (const ZipEntry& entry : wheel.zip().entries()) {
    if (entry.type != PayloadEntry::Type::file) continue;
    // Commands are in package.scripts.
    if (wheel_destination(entry.path).kind == WheelDestination::Kind::script) continue;
    files.push_back({wheel_file(entry).path, entry.type, entry.size});
  }
  package.record = std::move(read.record);
  package.files = std::move(files);
  package.files_are_claims = false;
  return contents;
}

}  // namespace topsctl
