// Reading of wheels (PEP 427) and of installed distributions (PEP 376, PEP 627).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/package.hpp"

namespace topsctl {

// One line of a RECORD file.
struct RecordLine {
  std::string path;
  std::string sha256;  // urlsafe base64 without padding; empty: not said
};

// CSV as PEP 376 has it. Throws Error{bad_package}, naming `subject`.
std::vector<RecordLine> parse_record(std::string_view text, const std::string& subject);

// The minor version that a wheel is for, from its Python tags: "py3.8", "py38" and "cp38" mean 3.8
// and nothing else (pip reads "py3.8" as the set {py3, 8} and would install it anywhere); "py3"
// means any.
std::optional<std::string> python_minor(const std::vector<std::string>& tags);

// Fills name, version, architecture, python and scripts from the metadata. Throws
// Error{bad_package}.
void read_wheel_metadata(const std::filesystem::path& file, Package& package);

// Reads every member, checks it against RECORD, and fills `files` with paths relative to the site
// directory. Throws Error{bad_package} for any member that is missing, not recorded or not what
// RECORD says.
void read_wheel_payload(const std::filesystem::path& file, Package& package);

}  // namespace topsctl
