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
  std::string sha256;                      // empty: none
  std::string algorithm;                   // "sha256", "sha512", as in the line; empty: no digest
  std::string digest;                      // by that algorithm
  std::optional<std::uint64_t> size = {};  // bytes
};

// CSV as in PEP 376, parsed like pip does: lines end with LF or CR, blank lines are ignored,
// columns may be missing or extra. Throws Error{bad_package} with `subject` for a line without a
// path and for more than 200,000 lines.
std::vector<RecordLine> parse_record(std::string_view text, const std::string& subject);

}  // namespace topsctl
