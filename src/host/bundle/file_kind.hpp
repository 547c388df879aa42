// The type of a bundle's file, from its first bytes; the name decides only if bytes cannot.
#pragma once

#include <cstddef>
#include <string_view>

namespace topsctl {

enum class FileKind { deb, wheel, runfile, tar, zip, other };
std::string_view name(FileKind kind);

// Number of first bytes that are needed.
inline constexpr std::size_t telling_bytes = 512;

FileKind kind_of(std::string_view first_bytes, std::string_view file_name);

}  // namespace topsctl
