// Unpacking of a wheel's members, each compared with RECORD while it is written.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "topsctl/host/archive/zip.hpp"
#include "topsctl/host/python/wheel_record.hpp"

namespace topsctl {

// A member and its new file, whose directory exists.
struct MemberToUnpack {
  const ZipEntry* entry = nullptr;
  std::filesystem::path to;
  mode_t mode = 0644;
};

// The lines of RECORD by path; for duplicate paths the last.
using RecordClaims = std::map<std::string, RecordLine>;
RecordClaims record_claims(const std::string& record, const std::string& subject);

// Writes all members on several threads, the largest first, reading each once. Throws
// Error{bad_package} for the first one that differs from `claims` or is missing there, and for a
// file that exists already; some files are written then. Error{interrupted, terminated}.
void unpack_members(const ZipReader& zip, std::vector<MemberToUnpack> members,
                    const RecordClaims& claims);

}  // namespace topsctl
