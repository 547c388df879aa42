// Walks the central directory of a zip archive and clears one flag.
#include "topsctl/host/zip_names.hpp"

#include <algorithm>
#include <cstdint>

namespace topsctl {

namespace {

constexpr std::size_t end_size = 22;
constexpr std::size_t central_size = 46;
constexpr std::size_t local_size = 30;
constexpr std::uint32_t end_magic = 0x06054b50;
constexpr std::uint32_t central_magic = 0x02014b50;
constexpr std::uint32_t local_magic = 0x04034b50;
constexpr unsigned char utf8_flag = 0x08;  // of the second flag byte

std::uint32_t number(const unsigned char* at, int bytes) {
  std::uint32_t value = 0;
  for (int i = bytes - 1; i >= 0; --i) value = (value << 8U) | at[i];
  return value;
}

}  // namespace

void mark_names_as_bytes(unsigned char* zip, std::size_t size) {
  if (size < end_size) return;
  const std::size_t earliest = size - std::min<std::size_t>(size, end_size + 65535);
  std::size_t end = size - end_size;
  while (number(zip + end, 4) != end_magic) {
    if (end == earliest) return;
    --end;
  }
  std::size_t at = number(zip + end + 16, 4);
  while (at <= size && size - at >= central_size && number(zip + at, 4) == central_magic) {
    unsigned char* central = zip + at;
    central[9] = static_cast<unsigned char>(central[9] & ~utf8_flag);
    const std::size_t local = number(central + 42, 4);
    if (local <= size && size - local >= local_size && number(zip + local, 4) == local_magic) {
      zip[local + 7] = static_cast<unsigned char>(zip[local + 7] & ~utf8_flag);
    }
    at +=
        central_size + number(central + 28, 2) + number(central + 30, 2) + number(central + 32, 2);
  }
}

}  // namespace topsctl
