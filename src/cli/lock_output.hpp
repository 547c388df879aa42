// Writes locks and their signatures.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/input_file.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Writes the lock of all packages and returns its text. Adds a warning if there is a signature
// beside it, which belongs to an older lock.
std::string write_lock(const std::string& file, const Inventory& inventory, const Clock& clock,
                       std::vector<std::string>& warnings);

struct WrittenSignature {
  std::string file;
  std::string key;  // its id
};
// Signs the file's text by ssh-keygen for its kind, and writes FILE.sig.
WrittenSignature write_signature(const std::string& file, std::string_view text,
                                 InputFile::Kind kind, const std::string& key_file,
                                 const Host& host);

}  // namespace topsctl
