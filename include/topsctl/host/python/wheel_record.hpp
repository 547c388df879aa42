// RECORD files of wheels and installed distributions (PEP 376, PEP 627).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// One line of a RECORD file. Digests are urlsafe base64 without padding.
struct RecordLine {
  std::string path;
  std::string sha256;     // empty: not said
  std::string algorithm;  // "sha256", "sha512", as the line has it; empty: it has no digest
  std::string digest;     // by that algorithm
  std::optional<std::uint64_t> size = {};  // bytes
};

// CSV as PEP 376 has it, read as pip reads it: lines end with LF or CR, blank ones are passed over,
// columns may be missing or be more. Throws Error{bad_package}, naming `subject`, for a line
// without a path and for more than 200,000 lines.
std::vector<RecordLine> parse_record(std::string_view text, const std::string& subject);

}  // namespace topsctl
