// Reading of wheels (PEP 427) and of installed distributions (PEP 376, PEP 627).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/archive/zip.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// One line of a RECORD file. Digests are urlsafe base64 without padding.
struct RecordLine {
  std::string path;
  std::string sha256;     // empty: not said
  std::string algorithm;  // "sha256", "sha512", as the line has it; empty: it has no digest
  std::string digest;     // by that algorithm
  std::optional<std::uint64_t> size = {};  // bytes
};

// CSV as PEP 376 has it. Throws Error{bad_package}, naming `subject`, for a damaged line and for
// more than 200,000 of them.
std::vector<RecordLine> parse_record(std::string_view text, const std::string& subject);

// The minor version that a wheel is for, from its Python tags: "py3.8", "py38" and "cp38" mean 3.8
// and nothing else (pip reads "py3.8" as the set {py3, 8} and would install it anywhere); nothing
// if they mean several, as "py3", "cp36.cp37" and "cp38-abi3" do, or no Python 3 at all.
std::optional<std::string> python_minor(const std::vector<std::string>& tags);
// Whether tags mean a minor version ("3.8"), in the same reading: "py3" means any 3, "py2" none,
// "cp36.cp37" these two, "cp36-abi3" 3.6 and all after it.
bool is_for_python(const std::vector<std::string>& tags, std::string_view minor);

// Fills name, version, architecture, python, scripts, depends, wheel and record from the metadata,
// and `files` with what the central directory claims. `file_name` is the wheel's, as pip would see
// it. A name or version that differs from that of the file (package.wheel has both) is no error
// here. Throws Error{bad_package} if it is no wheel, or one of a major version that is not known.
void read_wheel_metadata(const ZipReader& zip, const std::string& file_name, Package& package);

// What reading the members of a wheel may use.
struct WheelReading {
  unsigned threads = 1;
  // Told of bytes of the archive that are done, by any thread.
  std::function<void(std::uint64_t)> on_bytes = {};
};

// Reads every member once, the biggest first, and compares it with package.record;
// read_wheel_metadata() was called before. Fills `files` with what is there. Throws
// Error{bad_package} for members that cannot be read, Error{interrupted}.
Contents read_wheel_contents(const ZipReader& zip, Package& package, const WheelReading& reading);

// The metadata of a wheel that is to be installed: without record and files. Throws
// Error{bad_package}, too where the metadata is not that of the file's name.
void read_wheel_metadata(const std::filesystem::path& file, Package& package);

// Reads every member, checks it against RECORD, and fills `record` and `files` with paths relative
// to the site directory. Throws Error{bad_package} for any member that is missing, not recorded or
// not what RECORD says, and for what would be installed elsewhere.
Contents read_wheel_payload(const std::filesystem::path& file, Package& package);

}  // namespace topsctl
