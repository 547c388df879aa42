// Reads the data archive of a .deb.
#pragma once

#include <string>

#include "topsctl/host/archive/source.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Whether files are compared with the package's md5sums (deb-md5sums(5)).
enum class Md5sums { ignore, compare };

// Reads the data archive to its end, fills `files` and compares with md5sums. Unusual entries are
// recorded in `contents`. Throws Error{bad_package} for any damage.
void read_data_archive(Source& tar, const std::string& file_name, Package& package,
                       Contents& contents, Md5sums md5sums = Md5sums::compare);

}  // namespace topsctl
