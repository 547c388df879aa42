// Unpacking of a wheel's members, each compared with RECORD while it is written.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "topsctl/host/archive/zip.hpp"
#include "topsctl/host/python/wheel_record.hpp"

namespace topsctl {

// A member and the new file that it becomes; the folder is there.
struct MemberToUnpack {
  const ZipEntry* entry = nullptr;
  std::filesystem::path to;
  mode_t mode = 0644;
};

// What RECORD says, by path; of two lines for one path the last.
using RecordClaims = std::map<std::string, RecordLine>;
RecordClaims record_claims(const std::string& record, const std::string& subject);

// Writes all of them by several threads, the largest first, reading each once. Throws
// Error{bad_package} for the first that is not what `claims` say, or of which they say nothing, and
// for a file that is there already; some files are written by then. Error{interrupted, terminated}.
void unpack_members(const ZipReader& zip, std::vector<MemberToUnpack> members,
                    const RecordClaims& claims);

}  // namespace topsctl
