// Members of ar archives, the format of debs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace topsctl {

inline constexpr std::string_view ar_magic = "!<arch>\n";
inline constexpr std::uint64_t ar_header_size = 60;
inline constexpr std::uint64_t largest_ar_member = 9'999'999'999;  // ten digits for a size

// ar(5): name 16, time 12, owner 6, group 6, mode 8, size 10, then "`\n". Its content ends at an
// even place.
std::string ar_header(const char* name, std::uint64_t size);

}  // namespace topsctl
