// Makes a zip archive in memory readable without a locale.
#pragma once

#include <cstddef>

namespace topsctl {

// Clears the "name is UTF-8" flag (APPNOTE 4.4.4, bit 11) in all headers, so that libarchive hands
// names on as the bytes they are instead of converting them to a locale that a static program does
// not have. Anything odd is left as it is: the reader judges it.
void mark_names_as_bytes(unsigned char* zip, std::size_t size);

}  // namespace topsctl
