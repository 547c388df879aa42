// Writes headers of members.
#include "host/debian/ar_member.hpp"

#include <array>
#include <cstdio>

namespace topsctl {

std::string ar_header(const char* name, std::uint64_t size) {
  std::array<char, ar_header_size + 1> text{};
  std::snprintf(text.data(), text.size(), "%-16s%-12d%-6d%-6d%-8s%-10llu`\n", name, 0, 0, 0,
                "100644", static_cast<unsigned long long>(size));
  return text.data();
}

}  // namespace topsctl
