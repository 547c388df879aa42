// Reads makeself self-extracting archives (.run) as data; never executes any of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/archive/source.hpp"

namespace topsctl {

// Values of the shell header of a .run.
struct RunfileHeader {
  std::string label;
  std::string start_script;  // the script that it would run after unpacking
  std::string makeself_version;
  std::string compression;           // as in the header; empty: not stated
  bool is_understood = true;         // the payload's compression is supported
  std::uint64_t payload_offset = 0;  // bytes
  std::vector<std::uint64_t> sizes;  // bytes of each part of the payload; empty: to the file's end
  std::vector<std::string>
      crcs;  // of each part, decimal as cksum(1) has it; "0000000000": not used
  std::vector<std::string> md5s;  // lower-case hex; zeros: not used
  std::vector<std::string> sha256s;
  bool is_encrypted = false;

  bool is_base64() const { return compression == "base64"; }  // cannot be detected by first bytes
};

// Whether the file begins like a shell script with a makeself header.
bool looks_like_runfile(std::string_view first_bytes);
// Parses the header from the first bytes of a file (128 KiB are enough) as text. Throws
// Error{bad_package} with `subject` if it is not a makeself header.
RunfileHeader parse_runfile_header(std::string_view first_bytes, const std::string& subject);

struct RunfileParts {
  std::vector<std::string>
      checksums;          // "md5 ok", "sha256 wrong", "crc not used", one for each kind and part
  bool are_sound = true;  // no checksum was wrong
};

// Reads a .run from its first to its last byte. `on_part` receives each part's bytes, still
// compressed, in order, and may read them or not; the rest is read for the checksums.
RunfileParts read_runfile(Source& source, const RunfileHeader& header, const std::string& subject,
                          const std::function<void(std::size_t part, Source& bytes)>& on_part);

}  // namespace topsctl
