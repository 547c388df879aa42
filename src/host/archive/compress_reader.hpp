// Reads the output of compress(1) (.Z), through libarchive.
#pragma once

#include <memory>
#include <string>

#include "topsctl/host/archive/source.hpp"

namespace topsctl {

// The decompressed bytes of a source, which must outlive the reader. Throws Error{bad_package} from
// piece(), naming `subject`.
std::unique_ptr<Source> compress_reader(Source& from, std::string subject);

}  // namespace topsctl
