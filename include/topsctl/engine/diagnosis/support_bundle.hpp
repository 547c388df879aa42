// One file with the data for remote support, without secrets.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "topsctl/engine/diagnosis/redaction.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct SupportContents {
  // Names and texts from the caller, such as the report of the diagnosis.
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<std::string> paths;  // logs and directories of logs
  Addresses addresses = Addresses::shown;
};

struct SupportBundle {
  std::vector<std::string> names;     // of its entries, in order
  std::vector<std::string> left_out;  // "PATH: why"
  std::size_t blanked = 0;            // number of places; the file's last text, "blanked", lists
                                      // them
};

// Writes FILE (tar.zst, mode 0600) with the texts, the versions of the system, the output of efsmi,
// the reports and logs of the last five transactions, and the paths; all redacted. Throws
// Error{bad_input} if FILE exists or a path does not, Error{permission, no_space}; then FILE is not
// created.
SupportBundle write_support_bundle(const Host& host, const std::string& file,
                                   const SupportContents& contents);

}  // namespace topsctl
