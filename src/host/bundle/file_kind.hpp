// What a file of a bundle is, from its first bytes; its name decides only where bytes cannot.
#pragma once

#include <cstddef>
#include <string_view>

namespace topsctl {

enum class FileKind { deb, wheel, runfile, tar, zip, other };
std::string_view name(FileKind kind);

// How many first bytes are needed to tell.
inline constexpr std::size_t telling_bytes = 512;

FileKind kind_of(std::string_view first_bytes, std::string_view file_name);

}  // namespace topsctl
